#include "run/batch/row_pool.h"

#include "value/order.h"

namespace lakebed::run {

using cdc::Source;
using value::Column;
using value::ColumnBatch;

RowPool::RowPool(ApplyContext& context, const Leaves& leaves)
    : context_(context), leaves_(leaves), old_(context, payload_columns(context)) {
  before_ = Leaves(context.authors->before).match(leaves);
  has_before_.assign(leaves.count(), false);
  for (const size_t leaf : before_) {
    if (leaf != Leaves::kNone) has_before_[leaf] = true;
  }
}

void RowPool::begin(const EventBatch& batch, const std::vector<uint32_t>& arrivals) {
  columns_.clear();
  places_.clear();
  const ColumnBatch rows = batch.gather(arrivals);
  for (size_t i = 0; i < context_.columns.size(); ++i) {
    Column& column = columns_.emplace_back(context_.columns[i].type);
    column.append_null();
    if (rows.rows > 0) column.append_range(rows.columns[i], 0, rows.rows);
  }
  rows_ = rows.rows + 1;
  Column& authors = columns_.emplace_back(value::Type(value::Kind::kBinary));
  for (size_t row = 0; row < rows_; ++row) authors.append_null();
}

const std::vector<size_t>* RowPool::leaves_of(uint32_t schema_id, const value::Schema& schema) {
  const auto known = matched_.find(schema_id);
  if (known != matched_.end()) return &known->second;
  // A row from before counts as having written what the target had by then, wherever it lies.
  if (schema.empty() || schema.back().name != kAuthorsColumn) return &before_;
  value::Schema values = schema;
  values.pop_back();
  return &matched_.emplace(schema_id, Leaves(values).match(leaves_)).first->second;
}

Result<RowPool::Kept> RowPool::add_payload(uint64_t payload) {
  LAKEBED_ASSIGN(const uint32_t schema_id, old_.add_heap(payload, columns_));
  Kept kept;
  kept.source = static_cast<Source>(rows_++);
  kept.authors = columns_.back().bytes(kept.source);
  const auto known = matched_.find(schema_id);
  if (known != matched_.end()) {
    kept.leaves = &known->second;
    return kept;
  }
  LAKEBED_ASSIGN(const value::Schema schema, context_.table.memory->schema(schema_id));
  kept.leaves = leaves_of(schema_id, schema);
  return kept;
}

RowPool::Kept RowPool::add_place(const cdc::Place& place) {
  Kept kept;
  kept.source = kFirstPlace + static_cast<Source>(places_.size());
  kept.leaves = &before_;
  places_.push_back(place);
  return kept;
}

Status RowPool::read_places() {
  first_place_ = rows_;
  if (places_.empty()) return {};
  LAKEBED_ASSIGN(const ColumnBatch rows, old_.read_places(places_));
  for (size_t i = 0; i < rows.columns.size(); ++i) {
    columns_[i].append_range(rows.columns[i], 0, rows.rows);
  }
  rows_ += rows.rows;
  return {};
}

bool RowPool::is_null(size_t leaf, Source source) const {
  return source == cdc::kNulls || is_null_leaf(columns_, leaves_[leaf], source);
}

bool RowPool::same(size_t leaf, Source left, Source right) {
  // A leaf that was added since is NULL in a row that lies in the table.
  if (left >= kFirstPlace && !has_before_[leaf]) left = cdc::kNulls;
  if (right >= kFirstPlace && !has_before_[leaf]) right = cdc::kNulls;
  if (left == right) return true;
  if (left >= kFirstPlace || right >= kFirstPlace) return false;
  const bool null = is_null(leaf, left);
  if (null || is_null(leaf, right)) return null == is_null(leaf, right);
  const Column& column = leaf_column(columns_, leaves_[leaf]);
  return value::same_value(column, left, column, right);
}

Column RowPool::gather_leaf(const cdc::Resolved& resolved, size_t leaf) const {
  const bool nested = !leaves_[leaf].steps.empty();
  std::vector<uint32_t> rows(resolved.events.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    Source source = resolved.sources[i * resolved.leaves + leaf];
    if (source >= kFirstPlace) {
      source = static_cast<Source>(first_place_) + (source - kFirstPlace);
    }
    // What lies beneath a struct that is NULL is NULL, whatever the bytes say.
    rows[i] = nested && is_null(leaf, source) ? cdc::kNulls : source;
  }
  return leaf_column(columns_, leaves_[leaf]).gather(rows);
}

// Rule P3: a struct is there where a leaf of it is.
Column RowPool::build_column(const value::Type& type, const cdc::Resolved& resolved,
                             size_t& leaf) const {
  if (type.kind != value::Kind::kStruct || type.fields.empty()) {
    return gather_leaf(resolved, leaf++);
  }
  const size_t rows = resolved.events.size();
  std::vector<Column> children;
  std::vector<uint8_t> valid(rows, 0);
  for (const value::Field& field : type.fields) {
    children.push_back(build_column(field.type, resolved, leaf));
    for (size_t row = 0; row < rows; ++row) {
      if (!children.back().is_null(row)) valid[row] = 1;
    }
  }
  Column out(type);
  out.raw_children() = std::move(children);
  out.raw_validity() = std::move(valid);
  out.raw_set_size(rows);
  return out;
}

ColumnBatch RowPool::build(const cdc::Resolved& resolved) const {
  ColumnBatch out;
  out.schema = context_.columns;
  out.rows = resolved.events.size();
  size_t leaf = 0;
  for (const value::Field& field : context_.columns) {
    out.columns.push_back(build_column(field.type, resolved, leaf));
  }
  return out;
}

}  // namespace lakebed::run

#include "run/apply/apply.h"
#include "run/batch/leaves.h"
#include "state/row_codec.h"

namespace lakebed::run {

cdc::Entry to_kernel(const state::Entry& entry) {
  cdc::Entry out;
  out.sequence = entry.sequence;
  out.value_hash = entry.value_hash;
  out.tracked_hash = entry.is_delete() ? 0 : entry.tracked_hash;
  out.payload = entry.payload;
  out.place = {entry.file, entry.row};
  out.kind = entry.kind() == state::EntryKind::kHidden ? cdc::EntryKind::kAbsorbed
             : entry.is_delete()                       ? cdc::EntryKind::kDelete
                                                       : cdc::EntryKind::kHead;
  return out;
}

state::Entry to_memory(const Hash128& key, const cdc::Entry& entry) {
  state::Entry out;
  out.key = key;
  out.sequence = entry.sequence;
  out.value_hash = entry.value_hash;
  out.tracked_hash = entry.tracked_hash;
  out.payload = entry.payload;
  if (entry.kind == cdc::EntryKind::kAbsorbed) out.flags |= state::kHiddenBit;
  if (entry.is_delete()) out.flags |= state::kDeleteBit;
  if (entry.kind == cdc::EntryKind::kHead) {
    out.flags |= state::kHasPlaceBit;
    out.file = entry.place.file;
    out.row = entry.place.row;
  }
  return out;
}

value::Schema payload_columns(const ApplyContext& context) {
  value::Schema columns = context.columns;
  if (context.authors) {
    columns.push_back({kAuthorsColumn, value::Type(value::Kind::kBinary), true, "", {}});
  }
  return columns;
}

Result<uint64_t> keep_row(ApplyContext& context, const std::vector<value::Column>& columns,
                          size_t row, const std::string& authors, TargetCommit& commit) {
  std::string bytes;
  if (context.authors) {
    state::append_row(columns, row, authors, bytes);
  } else {
    state::append_row(columns, row, bytes);
  }
  const uint32_t schema_id = commit.memory().schema_id(payload_columns(context));
  return commit.memory().append_payload(schema_id, bytes);
}

Result<uint64_t> keep_event(ApplyContext& context, const EventBatch& batch, uint32_t arrival,
                            TargetCommit& commit) {
  const EventBatch::Location at = batch.locate(arrival);
  std::string authors;
  if (context.authors) authors = batch.authors[at.part].bytes(at.row);
  return keep_row(context, batch.parts[at.part].columns, at.row, authors, commit);
}

namespace {

Status apply_whole(ApplyContext& context, const EventBatch& batch, TargetCommit& commit,
                   cdc::Metrics& metrics) {
  if (context.plan.kind == TargetKind::kScd2) return apply_scd2(context, batch, commit, metrics);
  if (context.plan.kind == TargetKind::kBitemporal) {
    return apply_bitemporal(context, batch, commit, metrics);
  }
  return apply_scd1(context, batch, commit, metrics);
}

}  // namespace

Status apply_events(ApplyContext& context, const EventBatch& batch, TargetCommit& commit,
                    cdc::Metrics& metrics, DataQuality& quality) {
  if (!context.authors) return apply_whole(context, batch, commit, metrics);
  LAKEBED_ASSIGN(const EventBatch whole, resolve_partial(context, batch, metrics));
  quality.add(whole.quality);
  cdc::Metrics of_rows;
  LAKEBED_TRY(apply_whole(context, whole, commit, of_rows));
  metrics.upserted_rows += of_rows.upserted_rows;
  metrics.deleted_rows += of_rows.deleted_rows;
  return {};
}

}  // namespace lakebed::run

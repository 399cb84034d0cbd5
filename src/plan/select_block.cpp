#include "plan/select_block.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/names.h"
#include "plan/expression_text.h"

namespace lakebed::plan {
namespace {

bool is_generator(const Expression& node) { return is_call_of(node, FunctionKind::kGenerator); }

bool has_generator(const ExpressionPtr& node) {
  return any_expression(node, [](const Expression& part) { return is_generator(part); });
}

// An integer literal in GROUP BY or ORDER BY is a position.
bool is_ordinal(const Expression& node) {
  return node.kind == ExpressionKind::kLiteral && !node.is_null && node.type.is_integer();
}

}  // namespace

bool SelectBlock::take(const RelationPtr& node) {
  RelationPtr at = node;
  const auto peel = [&](RelationKind kind, const Relation*& slot) {
    if (at->kind != kind || at->inputs.empty()) return;
    slot = at.get();
    at = at->inputs[0];
  };
  peel(RelationKind::kSort, sort_);
  peel(RelationKind::kDistinct, distinct_);
  peel(RelationKind::kQualify, qualify_);
  peel(RelationKind::kHaving, having_);
  core_ = at;
  return at->kind == RelationKind::kProject || at->kind == RelationKind::kAggregate;
}

Result<RelationPtr> SelectBlock::resolve() {
  if (core_->inputs.empty()) {
    auto row = std::make_shared<Relation>();
    row->kind = RelationKind::kOneRow;
    row->span = core_->span;
    base_ = row;
  } else {
    LAKEBED_ASSIGN(base_, resolve_relation(session_, environment_, core_->inputs[0]));
  }
  LAKEBED_TRY(check_streams(*base_));
  scope_.environment = &environment_;
  scope_.attributes = base_->output;
  scope_.windows = &core_->windows;
  scope_.items = &items_;
  LAKEBED_TRY(resolve_items());
  LAKEBED_TRY(resolve_conditions());
  LAKEBED_TRY(resolve_order());
  if (is_aggregated()) LAKEBED_TRY(apply_aggregate());
  if (having_condition_ != nullptr) base_ = filter_of(base_, having_condition_, having_->span);
  LAKEBED_TRY(apply_generators());
  LAKEBED_TRY(apply_windows());
  if (qualify_condition_ != nullptr) base_ = filter_of(base_, qualify_condition_, qualify_->span);
  LAKEBED_TRY(apply_items());
  LAKEBED_TRY(apply_order());
  return base_;
}

Status SelectBlock::check_streams(const Relation& input) {
  if (qualify_ != nullptr) {
    LAKEBED_TRY(check_stream(session_, input, "QUALIFY", qualify_->span));
  }
  if (distinct_ != nullptr) {
    LAKEBED_TRY(check_stream(session_, input, "DISTINCT", distinct_->span));
  }
  if (sort_ != nullptr) LAKEBED_TRY(check_stream(session_, input, "ORDER_BY", sort_->span));
  if (core_->kind == RelationKind::kAggregate) {
    LAKEBED_TRY(check_stream(session_, input, "GROUP_BY", core_->span));
  }
  return {};
}

// --- the list ---------------------------------------------------------------------------------

Status SelectBlock::resolve_items() {
  scope_.item_use = ItemUse::kAfterInput;
  scope_.keep_item_references = true;
  for (const ExpressionPtr& node : core_->expressions) {
    if (node->kind != ExpressionKind::kStar) {
      LAKEBED_TRY(add_item(node));
      continue;
    }
    LAKEBED_ASSIGN(std::vector<NamedExpression> columns, expand_star(session_, scope_, *node));
    for (NamedExpression& column : columns) {
      items_.push_back({session_.next_id(), column.name, std::move(column.expression), true});
    }
  }
  return {};
}

Status SelectBlock::add_item(const ExpressionPtr& node) {
  const bool aliased = node->kind == ExpressionKind::kAlias;
  const ExpressionPtr& inner = aliased ? node->children[0] : node;
  if (is_generator(*inner)) {
    return add_generator(inner, aliased ? node->names : std::vector<std::string>());
  }
  if (aliased && node->names.size() != 1) {
    return project_error("UDTF_ALIAS_NUMBER_MISMATCH",
                         fmt::format("{} makes one column, but has {} names.",
                                     expression_text(*inner), node->names.size()),
                         node->span);
  }
  if (has_generator(inner)) {
    return project_error("UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS",
                         fmt::format("A generator must stand alone in the SELECT list: {}.",
                                     expression_text(*inner)),
                         inner->span);
  }
  Item item;
  item.name = item_name(session_, scope_, node);
  LAKEBED_ASSIGN(item.expression, resolve_expression(session_, scope_, inner));
  item.id = session_.next_id();
  items_.push_back(std::move(item));
  return {};
}

Status SelectBlock::add_generator(const ExpressionPtr& call,
                                  const std::vector<std::string>& names) {
  ++scope_.inside_aggregate;  // it is computed below the list: item references are inlined
  auto resolved = resolve_expression(session_, scope_, call);
  --scope_.inside_aggregate;
  if (!resolved.ok()) return std::move(resolved).error();
  Generator generator;
  generator.call = std::move(resolved).value();
  generator.outer = fold_case(call->name).ends_with("_outer");
  LAKEBED_ASSIGN(generator.columns, generator_columns(session_, *generator.call, names));
  for (const Attribute& column : generator.columns) {
    items_.push_back({session_.next_id(), column.name, column_of(column, call->span), true});
  }
  generators_.push_back(std::move(generator));
  return {};
}

// --- HAVING, QUALIFY, ORDER BY ----------------------------------------------------------------

Status SelectBlock::resolve_conditions() {
  scope_.keep_item_references = false;
  if (having_ != nullptr) {
    scope_.item_use = ItemUse::kBeforeInput;
    LAKEBED_ASSIGN(having_condition_,
                   resolve_condition(session_, scope_, having_->condition, "HAVING"));
  }
  if (qualify_ != nullptr) {
    scope_.item_use = ItemUse::kAfterInput;
    LAKEBED_ASSIGN(qualify_condition_,
                   resolve_condition(session_, scope_, qualify_->condition, "QUALIFY"));
  }
  return {};
}

ExpressionPtr SelectBlock::item_column(const Item& item, const SourceSpan& span) const {
  Attribute attribute;
  attribute.id = item.id;
  attribute.name = item.name;
  attribute.type = item.expression->type;
  attribute.nullable = item.expression->nullable;
  return column_of(attribute, span);
}

Result<ExpressionPtr> SelectBlock::item_at(const Expression& ordinal, const std::string& clause) {
  const auto count = std::count_if(items_.begin(), items_.end(),
                                   [](const Item& item) { return item.visible; });
  int64_t position = 0;
  const char* end = ordinal.text.data() + ordinal.text.size();
  std::from_chars(ordinal.text.data(), end, position);
  if (position < 1 || position > count) {
    return project_error(clause + "_POS_OUT_OF_RANGE",
                         fmt::format("Position {} is not in the SELECT list, which has {} columns.",
                                     ordinal.text, count),
                         ordinal.span);
  }
  return item_column(items_[static_cast<size_t>(position - 1)], ordinal.span);
}

bool SelectBlock::only_items(const ExpressionPtr& node) const {
  if (has_aggregate(node) || has_window(node)) return false;
  return !any_expression(node, [this](const Expression& part) {
    if (part.relation != nullptr) return true;
    if (part.kind != ExpressionKind::kColumn) return false;
    return std::none_of(items_.begin(), items_.end(),
                        [&](const Item& item) { return item.id == part.attribute; });
  });
}

// The key over the items; what is no item becomes a hidden one.
Result<ExpressionPtr> SelectBlock::order_key(const ExpressionPtr& key) {
  if (is_ordinal(*key)) return item_at(*key, "ORDER_BY");
  LAKEBED_ASSIGN(ExpressionPtr resolved, resolve_expression(session_, scope_, key));
  if (only_items(resolved)) return resolved;
  const ExpressionPtr inlined = inline_items(resolved, items_);
  for (const Item& item : items_) {
    if (same_expression(*inline_items(item.expression, items_), *inlined)) {
      return item_column(item, key->span);
    }
  }
  if (distinct_ != nullptr) {
    return project_error("UNRESOLVED_COLUMN.WITH_SUGGESTION",
                         fmt::format("After SELECT DISTINCT, ORDER BY can only use columns of the "
                                     "SELECT list, which {} is not.",
                                     expression_text(*key)),
                         key->span);
  }
  items_.push_back({session_.next_id(), expression_text(*key), resolved, false});
  return item_column(items_.back(), key->span);
}

// ORDER BY ALL, unless a column has that name.
bool SelectBlock::orders_by_all() const {
  if (sort_->order.size() != 1) return false;
  const Expression& key = *sort_->order.front()->children[0];
  const bool all = key.kind == ExpressionKind::kColumn && key.name_parts.size() == 1 &&
                   same_name(key.name_parts.front(), "all");
  if (!all) return false;
  const auto is_all = [](const auto& named) { return same_name(named.name, "all"); };
  return std::none_of(items_.begin(), items_.end(), is_all) &&
         std::none_of(scope_.attributes.begin(), scope_.attributes.end(), is_all);
}

Status SelectBlock::resolve_order() {
  if (sort_ == nullptr) return {};
  scope_.item_use = ItemUse::kBeforeInput;
  scope_.keep_item_references = true;
  if (orders_by_all()) {
    const std::vector<Item> items = items_;
    for (const Item& item : items) {
      auto sort = edit(*sort_->order.front());
      sort->children[0] = item_column(item, sort->span);
      sort->type = item.expression->type;
      sort->resolved = true;
      order_.push_back(sort);
    }
    return {};
  }
  for (const ExpressionPtr& node : sort_->order) {
    auto sort = edit(*node);
    LAKEBED_ASSIGN(sort->children[0], order_key(node->children[0]));
    sort->type = sort->children[0]->type;
    sort->resolved = true;
    if (!value::is_orderable(sort->type) && sort->type.kind != value::Kind::kVoid) {
      return project_error("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
                           fmt::format("{} cannot be ordered: its type is {}.",
                                       expression_text(*node->children[0]), sort->type.text()),
                           node->span);
    }
    order_.push_back(sort);
  }
  return {};
}

// --- layers -----------------------------------------------------------------------------------

bool SelectBlock::is_aggregated() const {
  if (core_->kind == RelationKind::kAggregate || having_ != nullptr) return true;
  if (qualify_condition_ != nullptr && has_aggregate(qualify_condition_)) return true;
  for (const Generator& generator : generators_) {
    if (has_aggregate(generator.call)) return true;
  }
  return std::any_of(items_.begin(), items_.end(),
                     [](const Item& item) { return has_aggregate(item.expression); });
}

Status SelectBlock::apply_aggregate() {
  LAKEBED_TRY(check_stream(session_, *base_, "GROUP_BY", core_->span));
  LAKEBED_ASSIGN(Grouping grouping, resolve_grouping());
  AggregateBuilder builder(session_, base_, std::move(grouping), core_->span);
  for (const Item& item : items_) builder.allow(item.id);
  for (const Generator& generator : generators_) {
    for (const Attribute& column : generator.columns) builder.allow(column.id);
  }
  for (Item& item : items_) {
    LAKEBED_ASSIGN(item.expression, builder.extract(item.expression));
  }
  if (having_condition_ != nullptr) {
    LAKEBED_ASSIGN(having_condition_, builder.extract(having_condition_));
  }
  if (qualify_condition_ != nullptr) {
    LAKEBED_ASSIGN(qualify_condition_, builder.extract(qualify_condition_));
  }
  for (Generator& generator : generators_) {
    LAKEBED_ASSIGN(generator.call, builder.extract(generator.call));
  }
  base_ = builder.build();
  return {};
}

Status SelectBlock::apply_generators() {
  for (const Generator& generator : generators_) {
    LAKEBED_ASSIGN(base_, generate_over(session_, base_, generator.call, generator.columns));
    if (!generator.outer) continue;
    auto node = edit(*base_);
    node->outer = true;
    base_ = node;
  }
  return {};
}

Status SelectBlock::apply_windows() {
  std::vector<ExpressionPtr> windows;  // kAlias each
  const std::function<Result<ExpressionPtr>(const ExpressionPtr&)> extract =
      [&](const ExpressionPtr& node) -> Result<ExpressionPtr> {
    if (node->kind != ExpressionKind::kWindow) return map_parts(node, extract);
    for (const ExpressionPtr& known : windows) {
      if (!same_expression(*known->children[0], *node)) continue;
      return column_of(attribute_of(*known), node->span);
    }
    LAKEBED_TRY(check_stream(session_, *base_, "WINDOW", node->span));
    windows.push_back(alias_of(node, expression_text(*node->children[0]), session_.next_id()));
    return column_of(attribute_of(*windows.back()), node->span);
  };
  for (Item& item : items_) {
    LAKEBED_ASSIGN(item.expression, extract(item.expression));
  }
  if (qualify_condition_ != nullptr) {
    LAKEBED_ASSIGN(qualify_condition_, extract(qualify_condition_));
  }
  if (windows.empty()) return {};
  std::vector<ExpressionPtr> columns = pass_all(*base_);
  columns.insert(columns.end(), windows.begin(), windows.end());
  base_ = project_of(base_, std::move(columns), core_->span);
  return {};
}

// One projection when no item refers to another; else one a level, then the items in order.
Status SelectBlock::apply_items() {
  std::vector<size_t> levels(items_.size(), 0);
  size_t deepest = 0;
  for (size_t i = 0; i < items_.size(); ++i) {
    for (size_t j = 0; j < items_.size(); ++j) {
      const AttributeId id = items_[j].id;
      const bool refers = i != j && any_expression(items_[i].expression, [&](const Expression& e) {
        return e.kind == ExpressionKind::kColumn && e.attribute == id;
      });
      if (refers) levels[i] = std::max(levels[i], levels[j] + 1);
    }
    deepest = std::max(deepest, levels[i]);
  }
  for (size_t level = 0; level <= deepest; ++level) {
    std::vector<ExpressionPtr> columns;
    if (deepest > 0) columns = pass_all(*base_);
    for (size_t i = 0; i < items_.size(); ++i) {
      if (levels[i] != level) continue;
      columns.push_back(alias_of(items_[i].expression, items_[i].name, items_[i].id));
    }
    base_ = project_of(base_, std::move(columns), core_->span);
  }
  if (deepest == 0) return {};
  std::vector<ExpressionPtr> columns;
  for (const Item& item : items_) columns.push_back(item_column(item, core_->span));
  base_ = project_of(base_, std::move(columns), core_->span);
  return {};
}

Status SelectBlock::apply_order() {
  if (distinct_ != nullptr) {
    LAKEBED_TRY(check_comparable(*base_, "DISTINCT", distinct_->span));
    auto node = std::make_shared<Relation>();
    node->kind = RelationKind::kDistinct;
    node->span = distinct_->span;
    node->streaming = base_->streaming;
    node->output = base_->output;
    node->inputs = {base_};
    base_ = node;
  }
  if (sort_ == nullptr) return {};
  auto node = std::make_shared<Relation>();
  node->kind = RelationKind::kSort;
  node->span = sort_->span;
  node->streaming = base_->streaming;
  node->output = base_->output;
  node->inputs = {base_};
  node->order = order_;
  base_ = node;
  const bool all_visible = std::all_of(items_.begin(), items_.end(),
                                       [](const Item& item) { return item.visible; });
  if (all_visible) return {};
  std::vector<ExpressionPtr> columns;
  for (const Item& item : items_) {
    if (item.visible) columns.push_back(item_column(item, core_->span));
  }
  base_ = project_of(base_, std::move(columns), core_->span);
  return {};
}

Result<RelationPtr> resolve_select(Session& session, const Environment& environment,
                                   const RelationPtr& node) {
  SelectBlock block(session, environment);
  LAKEBED_ASSERT(block.take(node));
  return block.resolve();
}

}  // namespace lakebed::plan

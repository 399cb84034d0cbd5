// Expressions and relations in JSON.
#include "plan/json.h"

#include "plan/json_archive.h"

namespace lakebed::plan {

template <>
struct EnumNames<ExpressionKind> {
  static constexpr std::array<const char*, 19> names = {
      "literal", "column",   "star",      "call",     "cast",        "alias",  "case",
      "lambda",  "variable", "window",    "sort",     "query",       "exists", "in_query",
      "index",   "field",    "json_path", "interval", "outer_column"};
};
template <>
struct EnumNames<RelationKind> {
  static constexpr std::array<const char*, 18> names = {
      "read",     "function",      "values", "one_row",   "project",  "filter",
      "having",   "qualify",       "join",   "aggregate", "sort",     "limit",
      "distinct", "set_operation", "alias",  "with",      "generate", "leaf"};
};
template <>
struct EnumNames<JoinKind> {
  static constexpr std::array<const char*, 7> names = {"inner", "left",      "right",    "full",
                                                       "cross", "left_semi", "left_anti"};
};
template <>
struct EnumNames<SetOperationKind> {
  static constexpr std::array<const char*, 3> names = {"union", "intersect", "except"};
};
template <>
struct EnumNames<GroupingKind> {
  static constexpr std::array<const char*, 5> names = {"plain", "all", "sets", "rollup", "cube"};
};
template <>
struct EnumNames<WindowFrame::Unit> {
  static constexpr std::array<const char*, 2> names = {"rows", "range"};
};
template <>
struct EnumNames<WindowFrame::Bound> {
  static constexpr std::array<const char*, 5> names = {
      "unbounded_preceding", "preceding", "current_row", "following", "unbounded_following"};
};

namespace {

std::string to_hex(const std::string& bytes) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += digits[byte >> 4U];
    out += digits[byte & 15U];
  }
  return out;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string from_hex(const std::string& text, Trouble& trouble) {
  std::string out;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    const int high = hex_digit(text[i]);
    const int low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) trouble.report("damaged hexadecimal digits");
    out += static_cast<char>(high * 16 + low);
  }
  if (text.size() % 2 != 0) trouble.report("damaged hexadecimal digits");
  return out;
}

// The bytes of a binary literal are no text: they are written as hexadecimal digits.
template <typename Archive, typename Node>
void literal_text(Archive& archive, Node& node) {
  std::string hex;
  const bool binary =
      node.kind == ExpressionKind::kLiteral && node.type.kind == value::Kind::kBinary;
  if constexpr (Archive::kReads) {
    archive.field("text", node.text);
    archive.field("hex", hex);
    if (binary) node.text = from_hex(hex, archive.trouble());
  } else if (binary) {
    archive.field("hex", hex = to_hex(node.text));
  } else {
    archive.field("text", node.text);
  }
}

template <typename Archive, typename Node>
void expression_members(Archive& archive, Node& node) {
  place(archive, node.span);
  archive.field("name", node.name);
  archive.field("parts", node.name_parts);
  archive.field("type", node.type);
  literal_text(archive, node);
  archive.flag("null", node.is_null, false);
  archive.flag("distinct", node.distinct, false);
  archive.flag("ignore_nulls", node.ignore_nulls, false);
  archive.flag("try", node.try_cast, false);
  archive.flag("has_operand", node.has_operand, false);
  archive.flag("ascending", node.ascending, true);
  archive.flag("nulls_first", node.nulls_first, true);
  archive.field("names", node.names);
  archive.field("argument_names", node.argument_names);
  archive.field("children", node.children);
  archive.field("filter", node.filter);
  archive.field("window", node.window);
  archive.field("relation", node.relation);
}

template <typename Archive, typename Node>
void relation_members(Archive& archive, Node& node) {
  place(archive, node.span);
  archive.field("name", node.name);
  archive.field("parts", node.name_parts);
  archive.field("names", node.names);
  archive.flag("streaming", node.streaming, false);
  archive.field("options", node.options);
  archive.field("arguments", node.arguments);
  archive.field("argument_names", node.argument_names);
  archive.field("rows", node.rows);
  archive.field("expressions", node.expressions);
  archive.field("condition", node.condition);
  archive.field("join", node.join);
  archive.flag("natural", node.natural, false);
  archive.flag("lateral", node.lateral, false);
  archive.field("using", node.using_names);
  archive.field("grouping", node.grouping);
  archive.field("grouping_kind", node.grouping_kind);
  archive.field("grouping_sets", node.grouping_sets);
  archive.field("windows", node.windows);
  archive.field("order", node.order);
  archive.field("limit", node.limit);
  archive.field("offset", node.offset);
  archive.field("set_operation", node.set_operation);
  archive.flag("all", node.all, false);
  archive.flag("by_name", node.by_name, false);
  archive.flag("outer", node.outer, false);
  archive.field("inputs", node.inputs);
}

}  // namespace

// Not in an unnamed namespace: the lists are found by argument-dependent lookup.
template <typename Archive, Of<WindowFrame> Node>
static void members(Archive& archive, Node& node) {
  // A frame is written whole: its bounds have no natural defaults in a text.
  if constexpr (Archive::kReads) {
    archive.field("unit", node.unit);
    archive.field("start", node.start);
    archive.field("end", node.end);
  } else {
    archive.out["unit"] = write(node.unit);
    archive.out["start"] = write(node.start);
    archive.out["end"] = write(node.end);
  }
  archive.field("start_offset", node.start_offset);
  archive.field("end_offset", node.end_offset);
}

template <typename Archive, Of<WindowSpec> Node>
static void members(Archive& archive, Node& node) {
  archive.field("name", node.name);
  archive.field("partition", node.partition);
  archive.field("order", node.order);
  archive.field("frame", node.frame);
}

Json to_json(const Expression& node) {
  Writer writer;
  writer.out["expr"] = write(node.kind);
  expression_members(writer, node);
  return std::move(writer.out);
}

Json to_json(const Relation& node) {
  Writer writer;
  writer.out["rel"] = write(node.kind);
  relation_members(writer, node);
  return std::move(writer.out);
}

Json write(const ExpressionPtr& item) { return to_json(*item); }
Json write(const RelationPtr& item) { return to_json(*item); }
Json write(const WindowSpec& item) { return write_struct(item); }
Json write(const WindowFrame& item) { return write_struct(item); }
void read(const Json& json, WindowSpec& out, Trouble& trouble) { read_struct(json, out, trouble); }
void read(const Json& json, WindowFrame& out, Trouble& trouble) { read_struct(json, out, trouble); }

// What every walker of trees relies on: as many parts as the kind needs.
static bool is_whole(const Expression& node) {
  switch (node.kind) {
    case ExpressionKind::kCast:
    case ExpressionKind::kAlias:
    case ExpressionKind::kLambda:
    case ExpressionKind::kSort:
    case ExpressionKind::kField:
    case ExpressionKind::kJsonPath: return node.children.size() == 1;
    case ExpressionKind::kWindow: return node.children.size() == 1 && node.window.has_value();
    case ExpressionKind::kIndex: return node.children.size() == 2;
    case ExpressionKind::kCase: return node.children.size() >= (node.has_operand ? 3U : 2U);
    case ExpressionKind::kSubquery:
    case ExpressionKind::kExists: return node.relation != nullptr;
    case ExpressionKind::kInSubquery: return node.relation != nullptr && !node.children.empty();
    case ExpressionKind::kColumn: return !node.name_parts.empty();
    default: return true;
  }
}

static bool is_whole(const Relation& node) {
  switch (node.kind) {
    case RelationKind::kRead: return !node.name_parts.empty();
    case RelationKind::kFilter:
    case RelationKind::kHaving:
    case RelationKind::kQualify: return node.inputs.size() == 1 && node.condition != nullptr;
    case RelationKind::kJoin: return node.inputs.size() == 2;
    case RelationKind::kSetOperation: return node.inputs.size() >= 2;
    case RelationKind::kAggregate:
    case RelationKind::kSort:
    case RelationKind::kLimit:
    case RelationKind::kDistinct:
    case RelationKind::kAlias: return node.inputs.size() == 1;
    case RelationKind::kGenerate: return node.inputs.size() == 1 && node.expressions.size() == 1;
    case RelationKind::kWith: return node.inputs.size() == node.names.size() + 1;
    case RelationKind::kValues: return !node.rows.empty();
    default: return true;
  }
}

void read(const Json& json, ExpressionPtr& out, Trouble& trouble) {
  auto node = std::make_shared<Expression>();
  Reader reader(json, trouble);
  if (json.is_object() && !json.contains("expr")) trouble.report("an expression has no 'expr'");
  reader.field("expr", node->kind);
  expression_members(reader, *node);
  reader.finish();
  if (!is_whole(*node)) trouble.report("a part is missing from " + write(node->kind).dump());
  out = std::move(node);
}

void read(const Json& json, RelationPtr& out, Trouble& trouble) {
  auto node = std::make_shared<Relation>();
  Reader reader(json, trouble);
  if (json.is_object() && !json.contains("rel")) trouble.report("a relation has no 'rel'");
  reader.field("rel", node->kind);
  relation_members(reader, *node);
  reader.finish();
  if (!is_whole(*node)) trouble.report("a part is missing from " + write(node->kind).dump());
  out = std::move(node);
}

Result<ExpressionPtr> expression_from_json(const Json& json) {
  Trouble trouble;
  ExpressionPtr out;
  read(json, out, trouble);
  if (trouble.error) return std::move(*trouble.error);
  return out;
}

Result<RelationPtr> relation_from_json(const Json& json) {
  Trouble trouble;
  RelationPtr out;
  read(json, out, trouble);
  if (trouble.error) return std::move(*trouble.error);
  return out;
}

}  // namespace lakebed::plan

// How nodes become JSON objects and back: each kind of node lists its members once, in a function
// `members(archive, node)`, which a Writer and a Reader both run. Internal to this room.
//
// A Reader never throws: the first problem is kept in its Trouble, and reading goes on with
// defaults, so that a caller asks once at the end.
#pragma once

#include <array>
#include <optional>
#include <set>

#include "plan/json.h"

namespace lakebed::plan {

// The names of an enum's values in JSON, in order.
template <typename Enum>
struct EnumNames;

// Whether a `members` list is for this struct, const or not.
template <typename Node, typename Struct>
concept Of = std::is_same_v<std::remove_const_t<Node>, Struct>;

struct Trouble {
  std::optional<Error> error;
  SourceSpan where;  // of the innermost node that has a place
  void report(const std::string& message);
};

SourceSpan span_from_text(const std::string& text);

// --- writing ----------------------------------------------------------------------------------

Json write(const std::string& item);
Json write(bool item);
Json write(const SourceSpan& item);
Json write(const value::Type& item);
Json write(const value::Field& item);
Json write(const ExpressionPtr& item);
Json write(const RelationPtr& item);
Json write(const WindowSpec& item);
Json write(const WindowFrame& item);
Json write(const ObjectName& item);

template <typename Enum>
  requires std::is_enum_v<Enum>
Json write(Enum item) {
  return EnumNames<Enum>::names[static_cast<size_t>(item)];
}
template <typename Item>
Json write(const std::vector<Item>& items) {
  Json out = Json::array();
  for (const Item& item : items) out.push_back(write(item));
  return out;
}
template <typename Item>
Json write(const std::map<std::string, Item>& items) {
  Json out = Json::object();
  for (const auto& [key, item] : items) out[key] = write(item);
  return out;
}

template <typename Item>
bool is_default(const Item& item) {
  if constexpr (requires { item.has_value(); }) {
    return !item.has_value();
  } else if constexpr (requires { item.empty(); }) {
    return item.empty();
  } else if constexpr (std::is_same_v<Item, value::Type>) {
    return item.kind == value::Kind::kVoid;
  } else if constexpr (std::is_same_v<Item, SourceSpan>) {
    return !item.known();
  } else if constexpr (std::is_same_v<Item, ObjectName>) {
    return item.parts.empty();
  } else if constexpr (requires { item == Item{}; }) {
    return item == Item{};
  } else {
    return false;
  }
}

class Writer {
 public:
  static constexpr bool kReads = false;
  Json out = Json::object();

  template <typename Item>
  void field(const char* key, const Item& item) {
    if (!is_default(item)) out[key] = write(item);
  }
  template <typename Item>
  void field(const char* key, const std::optional<Item>& item) {
    if (item.has_value()) out[key] = write(*item);
  }
  // A flag that is usually set.
  void flag(const char* key, bool item, bool usual) {
    if (item != usual) out[key] = item;
  }
};

// --- reading ----------------------------------------------------------------------------------

void read(const Json& json, std::string& out, Trouble& trouble);
void read(const Json& json, bool& out, Trouble& trouble);
void read(const Json& json, SourceSpan& out, Trouble& trouble);
void read(const Json& json, value::Type& out, Trouble& trouble);
void read(const Json& json, value::Field& out, Trouble& trouble);
void read(const Json& json, ExpressionPtr& out, Trouble& trouble);
void read(const Json& json, RelationPtr& out, Trouble& trouble);
void read(const Json& json, WindowSpec& out, Trouble& trouble);
void read(const Json& json, WindowFrame& out, Trouble& trouble);
void read(const Json& json, ObjectName& out, Trouble& trouble);

template <typename Enum>
  requires std::is_enum_v<Enum>
void read(const Json& json, Enum& out, Trouble& trouble) {
  const auto& names = EnumNames<Enum>::names;
  for (size_t i = 0; json.is_string() && i < names.size(); ++i) {
    if (json.get_ref<const std::string&>() != names[i]) continue;
    out = static_cast<Enum>(i);
    return;
  }
  trouble.report("unknown word " + json.dump());
}
template <typename Item>
void read(const Json& json, std::vector<Item>& out, Trouble& trouble) {
  if (!json.is_array()) return trouble.report("a list is expected");
  for (const Json& one : json) read(one, out.emplace_back(), trouble);
}
template <typename Item>
void read(const Json& json, std::map<std::string, Item>& out, Trouble& trouble) {
  if (!json.is_object()) return trouble.report("an object is expected");
  for (const auto& [key, one] : json.items()) read(one, out[key], trouble);
}
template <typename Item>
void read(const Json& json, std::optional<Item>& out, Trouble& trouble) {
  read(json, out.emplace(), trouble);
}

class Reader {
 public:
  static constexpr bool kReads = true;
  Reader(const Json& json, Trouble& trouble) : json_(json), trouble_(trouble) {
    if (!json.is_object()) trouble.report("an object is expected");
  }

  template <typename Item>
  void field(const char* key, Item& item) {
    seen_.insert(key);
    if (json_.is_object() && json_.contains(key)) read(json_[key], item, trouble_);
  }
  void flag(const char* key, bool& item, bool usual) {
    item = usual;
    field(key, item);
  }
  Trouble& trouble() { return trouble_; }
  // Complains about members that nobody asked for.
  void finish();

 private:
  const Json& json_;
  Trouble& trouble_;
  std::set<std::string> seen_;
};

// The nodes that are plain structs.
template <typename Node>
Json write_struct(const Node& node) {
  Writer writer;
  members(writer, node);
  return std::move(writer.out);
}
template <typename Node>
void read_struct(const Json& json, Node& node, Trouble& trouble) {
  Reader reader(json, trouble);
  members(reader, node);
  reader.finish();
}

// A node tells its place to the messages about its members.
template <typename Archive, typename Span>
void place(Archive& archive, Span& span) {
  archive.field("at", span);
  if constexpr (Archive::kReads) {
    if (span.known()) archive.trouble().where = span;
  }
}

}  // namespace lakebed::plan

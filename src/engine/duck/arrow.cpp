#include "engine/duck/arrow.h"

#include <cerrno>
#include <limits>

namespace lakebed::engine::duck {

namespace {

using value::Column;
using value::Kind;
using value::Type;

constexpr int64_t kNullable = 2;  // ARROW_FLAG_NULLABLE

// --- schemas -------------------------------------------------------------------------------------

struct SchemaNode {
  std::string format;
  std::string name;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};

std::string arrow_format(const Type& type) {
  switch (type.kind) {
    case Kind::kBoolean: return "b";
    case Kind::kByte: return "c";
    case Kind::kShort: return "s";
    case Kind::kVoid:
    case Kind::kIntervalYearMonth:
    case Kind::kInt: return "i";
    case Kind::kIntervalDayTime:
    case Kind::kLong: return "l";
    case Kind::kFloat: return "f";
    case Kind::kDouble: return "g";
    case Kind::kDecimal:
      return "d:" + std::to_string(type.precision) + "," + std::to_string(type.scale) +
             (type.precision <= 18 ? ",64" : "");
    case Kind::kString: return "U";
    case Kind::kBinary: return "Z";
    case Kind::kDate: return "tdD";
    case Kind::kTimestamp: return "tsu:UTC";
    case Kind::kTimestampNtz: return "tsu:";
    case Kind::kArray: return "+L";
    case Kind::kMap: return "+m";
    case Kind::kStruct: return "+s";
  }
  return "n";
}

// A schema is lent: its nodes belong to the source of the rows, because DuckDB's C API never
// releases the schemas that it asks a stream for.
void release_schema(ArrowSchema* schema) { schema->release = nullptr; }

void destroy_schema(ArrowSchema& schema) {
  for (int64_t i = 0; i < schema.n_children; ++i) destroy_schema(*schema.children[i]);
  delete static_cast<SchemaNode*>(schema.private_data);
  schema = {};
}

void export_type(const std::string& name, const std::string& format, size_t children,
                 ArrowSchema& out) {
  auto node = std::make_unique<SchemaNode>();
  node->format = format;
  node->name = name;
  node->children.resize(children);
  for (auto& child : node->children) node->pointers.push_back(&child);
  out = {};
  out.format = node->format.c_str();
  out.name = node->name.c_str();
  out.flags = kNullable;
  out.n_children = static_cast<int64_t>(children);
  out.children = node->pointers.data();
  out.release = release_schema;
  out.private_data = node.release();
}

void export_field(const std::string& name, const Type& type, ArrowSchema& out) {
  if (type.kind == Kind::kMap) {
    export_type(name, "+m", 1, out);
    export_type("entries", "+s", 2, *out.children[0]);
    out.children[0]->flags = 0;
    export_field("key", type.map_key(), *out.children[0]->children[0]);
    export_field("value", type.map_value(), *out.children[0]->children[1]);
    return;
  }
  export_type(name, arrow_format(type), type.fields.size(), out);
  for (size_t i = 0; i < type.fields.size(); ++i) {
    export_field(type.fields[i].name, type.fields[i].type, *out.children[i]);
  }
}

// A row of these fields, names as given. Freed by destroy_schema.
void export_schema(const value::Schema& schema, ArrowSchema& out) {
  export_type("", "+s", schema.size(), out);
  out.flags = 0;
  for (size_t i = 0; i < schema.size(); ++i) {
    export_field(schema[i].name, schema[i].type, *out.children[i]);
  }
}

// --- arrays --------------------------------------------------------------------------------------

struct ArrayNode {
  std::vector<uint8_t> validity;  // bits
  std::vector<uint8_t> bits;      // BOOLEAN data
  std::vector<char> zeroes;       // data of VOID
  std::vector<int32_t> narrow;    // offsets of a MAP
  const void* buffers[3] = {nullptr, nullptr, nullptr};
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
  std::shared_ptr<const void> owner;
};

void release_array(ArrowArray* array) {
  for (int64_t i = 0; i < array->n_children; ++i) {
    ArrowArray* child = array->children[i];
    if (child->release != nullptr) child->release(child);
  }
  delete static_cast<ArrayNode*>(array->private_data);
  array->release = nullptr;
}

// DuckDB copies bits by whole words and may read a few bytes behind the last one.
constexpr size_t kBitPadding = 8;

// One bit a byte that is not zero, eight bytes at a time.
std::vector<uint8_t> pack_bits(const uint8_t* bytes, size_t count) {
  std::vector<uint8_t> out((count + 7) / 8 + kBitPadding, 0);
  const size_t whole = count / 8;
  for (size_t i = 0; i < whole; ++i) {
    uint64_t eight;
    std::memcpy(&eight, bytes + i * 8, 8);
    // Bytes are 0 or 1: the multiplication gathers bit 0 of each into the top byte.
    out[i] = static_cast<uint8_t>((eight * 0x0102040810204080ULL) >> 56);
  }
  for (size_t i = whole * 8; i < count; ++i) {
    if (bytes[i] != 0) out[i / 8] = static_cast<uint8_t>(out[i / 8] | (1U << (i % 8)));
  }
  return out;
}

ArrayNode& start_array(size_t count, size_t children, ArrowArray& out) {
  auto node = std::make_unique<ArrayNode>();
  node->children.resize(children);
  for (auto& child : node->children) node->pointers.push_back(&child);
  out = {};
  out.length = static_cast<int64_t>(count);
  out.n_buffers = 1;
  out.n_children = static_cast<int64_t>(children);
  out.buffers = node->buffers;
  out.children = node->pointers.data();
  out.release = release_array;
  out.private_data = node.get();
  return *node.release();
}

void export_column(const Column& column, size_t first, size_t count, ArrowArray& out);

void export_validity(const Column& column, size_t first, size_t count, ArrayNode& node,
                     ArrowArray& out) {
  if (column.raw_validity().empty() || count == 0) return;
  node.validity = pack_bits(column.raw_validity().data() + first, count);
  node.buffers[0] = node.validity.data();
  out.null_count = -1;
}

void export_void(size_t count, ArrayNode& node, ArrowArray& out) {
  node.validity.assign((count + 7) / 8 + kBitPadding, 0);
  node.zeroes.assign(count * 4, 0);
  node.buffers[0] = node.validity.data();
  node.buffers[1] = node.zeroes.data();
  out.n_buffers = 2;
  out.null_count = static_cast<int64_t>(count);
}

// Offsets stay absolute: the child is lent whole, from its first row.
void export_map(const Column& column, size_t first, size_t count, ArrayNode& node,
                ArrowArray& out) {
  node.narrow.resize(count + 1);
  const uint64_t base = column.raw_offsets()[first];
  for (size_t i = 0; i <= count; ++i) {
    node.narrow[i] = static_cast<int32_t>(column.raw_offsets()[first + i] - base);
  }
  node.buffers[1] = node.narrow.data();
  out.n_buffers = 2;
  const size_t entries = static_cast<size_t>(node.narrow[count]);
  start_array(entries, 2, *out.children[0]);
  export_column(column.children()[0], base, entries, *out.children[0]->children[0]);
  export_column(column.children()[1], base, entries, *out.children[0]->children[1]);
}

void export_nested(const Column& column, size_t first, size_t count, ArrayNode& node,
                   ArrowArray& out) {
  const Kind kind = column.type().kind;
  if (kind == Kind::kMap) return export_map(column, first, count, node, out);
  if (kind == Kind::kArray) {
    node.buffers[1] = column.raw_offsets().data() + first;
    out.n_buffers = 2;
    export_column(column.children()[0], 0, column.raw_offsets()[first + count], *out.children[0]);
    return;
  }
  for (size_t i = 0; i < column.children().size(); ++i) {
    export_column(column.children()[i], first, count, *out.children[i]);
  }
}

void export_flat(const Column& column, size_t first, size_t count, ArrayNode& node,
                 ArrowArray& out) {
  const char* data = column.raw_data().data();
  out.n_buffers = 2;
  if (column.type().kind == Kind::kBoolean) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(data);
    node.bits = pack_bits(bytes + first, count);
    node.buffers[1] = node.bits.data();
    return;
  }
  const size_t width = value::fixed_width(column.type());
  if (width != 0) {
    node.buffers[1] = data + first * width;
    return;
  }
  node.buffers[1] = column.raw_offsets().data() + first;
  node.buffers[2] = data;
  out.n_buffers = 3;
}

void export_column(const Column& column, size_t first, size_t count, ArrowArray& out) {
  const Type& type = column.type();
  const size_t children = type.kind == Kind::kMap ? 1 : column.children().size();
  ArrayNode& node = start_array(count, children, out);
  if (type.kind == Kind::kVoid) return export_void(count, node, out);
  export_validity(column, first, count, node, out);
  if (type.is_nested()) return export_nested(column, first, count, node, out);
  export_flat(column, first, count, node, out);
}

}  // namespace

void export_slice(const ColumnSlice& slice, ArrowArray& out) {
  ArrayNode& node = start_array(slice.count, slice.columns.size(), out);
  node.owner = slice.owner;
  for (size_t i = 0; i < slice.columns.size(); ++i) {
    export_column(*slice.columns[i], slice.first, slice.count, *out.children[i]);
  }
}

ArrowSource::ArrowSource(const value::Schema& schema, Next next) : next_(std::move(next)) {
  export_schema(schema, exported_);
  stream_.private_data = this;
  stream_.get_schema = [](ArrowArrayStream* stream, ArrowSchema* out) {
    *out = of(stream).exported_;
    return 0;
  };
  stream_.get_next = [](ArrowArrayStream* stream, ArrowArray* out) { return of(stream).pull(out); };
  stream_.get_last_error = [](ArrowArrayStream* stream) { return of(stream).message_.c_str(); };
  stream_.release = [](ArrowArrayStream* stream) { stream->release = nullptr; };
}

ArrowSource::~ArrowSource() { destroy_schema(exported_); }

ArrowSource& ArrowSource::of(ArrowArrayStream* stream) {
  return *static_cast<ArrowSource*>(stream->private_data);
}

int ArrowSource::pull(ArrowArray* out) {
  *out = {};
  if (failure_) return EIO;
  auto slice = next_();
  if (!slice.ok()) {
    failure_ = std::move(slice).error();
    message_ = failure_->text();
    return EIO;
  }
  // The end of a stream is an array that is released already.
  if (!slice->has_value()) return 0;
  export_slice(**slice, *out);
  return 0;
}

}  // namespace lakebed::engine::duck

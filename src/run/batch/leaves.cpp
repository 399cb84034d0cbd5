#include "run/batch/leaves.h"

#include <algorithm>

#include "base/names.h"
#include "state/bytes.h"

namespace lakebed::run {

using value::Column;

Leaves::Leaves(const value::Schema& schema) {
  for (size_t i = 0; i < schema.size(); ++i) {
    first_.push_back(leaves_.size());
    add(schema[i].type, {i, {}, fold_case(schema[i].name)});
  }
  first_.push_back(leaves_.size());
}

void Leaves::add(const value::Type& type, Leaf leaf) {
  if (type.kind != value::Kind::kStruct || type.fields.empty()) {
    leaves_.push_back(std::move(leaf));
    return;
  }
  for (size_t i = 0; i < type.fields.size(); ++i) {
    Leaf inner = leaf;
    inner.steps.push_back(i);
    inner.path += '\0' + fold_case(type.fields[i].name);
    add(type.fields[i].type, std::move(inner));
  }
}

void Leaves::add_column(std::span<uint64_t> set, size_t column) const {
  for (size_t leaf = first(column); leaf < first(column + 1); ++leaf) cdc::add_leaf(set, leaf);
}

std::vector<size_t> Leaves::match(const Leaves& other) const {
  std::unordered_map<std::string, size_t> known;
  for (size_t leaf = 0; leaf < other.count(); ++leaf) known[other[leaf].path] = leaf;
  std::vector<size_t> out;
  for (const Leaf& leaf : leaves_) {
    const auto found = known.find(leaf.path);
    out.push_back(found == known.end() ? kNone : found->second);
  }
  return out;
}

bool is_null_leaf(const std::vector<Column>& columns, const Leaf& leaf, size_t row) {
  const Column* at = &columns[leaf.column];
  for (const size_t step : leaf.steps) {
    if (at->is_null(row)) return true;
    at = &at->children()[step];
  }
  return at->is_null(row);
}

const Column& leaf_column(const std::vector<Column>& columns, const Leaf& leaf) {
  const Column* at = &columns[leaf.column];
  for (const size_t step : leaf.steps) at = &at->children()[step];
  return *at;
}

// ---- as bytes --------------------------------------------------------------------------------

namespace {

void append_code(const value::SequenceView& sequence, std::string& out) {
  state::append_number(out, sequence.head);
  state::append_varint(out, sequence.tail.size());
  out.append(sequence.tail);
}

bool read_code(std::string_view bytes, size_t& at, std::deque<std::string>& tails,
               value::SequenceView& out) {
  if (bytes.size() - at < sizeof(uint64_t)) return false;
  out.head = state::load_number<uint64_t>(bytes.data() + at);
  at += sizeof(uint64_t);
  uint64_t length = 0;
  if (!state::read_varint(bytes, at, length) || bytes.size() - at < length) return false;
  out.tail = {};
  if (length == 0) return true;
  out.tail = tails.emplace_back(bytes.substr(at, length));
  at += length;
  return true;
}

}  // namespace

std::string encode_written(cdc::LeafBits written, size_t leaves) {
  std::string out;
  bool all = true;
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    if (leaf % 8 == 0) out += '\0';
    if (!cdc::has_leaf(written, leaf)) {
      all = false;
      continue;
    }
    out.back() = static_cast<char>(static_cast<uint8_t>(out.back()) | (1U << (leaf % 8)));
  }
  return all ? "" : out;
}

void decode_written(std::string_view bytes, const std::vector<size_t>& now,
                    std::span<uint64_t> out) {
  for (size_t leaf = 0; leaf < now.size(); ++leaf) {
    if (now[leaf] == Leaves::kNone) continue;
    const bool is_in =
        bytes.empty() ||
        (leaf / 8 < bytes.size() && (static_cast<uint8_t>(bytes[leaf / 8]) >> (leaf % 8) & 1) != 0);
    if (is_in) cdc::add_leaf(out, now[leaf]);
  }
}

// Layout: 1 where a delete is known, its sequence code; count (varint) and codes of the authors;
// for each leaf (varint) 0, or one more than the index of its author. A code is its head (8 bytes)
// and its tail behind the length (varint).
std::string encode_authors(const cdc::LeafAuthors& authors, const value::SequenceView& greatest) {
  const auto is_greatest = [&](uint32_t author) {
    return author != 0 && authors.sequences[author - 1] == greatest;
  };
  if (!authors.floor && std::all_of(authors.author.begin(), authors.author.end(), is_greatest)) {
    return "";
  }
  std::string out(1, authors.floor ? '\1' : '\0');
  if (authors.floor) append_code(*authors.floor, out);
  std::vector<uint32_t> number(authors.sequences.size() + 1, 0);
  std::string codes;
  uint32_t used = 0;
  for (const uint32_t author : authors.author) {
    if (author == 0 || number[author] != 0) continue;
    number[author] = ++used;
    append_code(authors.sequences[author - 1], codes);
  }
  state::append_varint(out, used);
  out += codes;
  for (const uint32_t author : authors.author) state::append_varint(out, number[author]);
  return out;
}

bool decode_authors(std::string_view bytes, const value::SequenceView& greatest,
                    const std::vector<size_t>& now, cdc::LeafAuthors& out,
                    std::deque<std::string>& tails) {
  if (bytes.empty()) {
    out.sequences.push_back(greatest);
    for (const size_t leaf : now) {
      if (leaf != Leaves::kNone) out.author[leaf] = 1;
    }
    return true;
  }
  size_t at = 1;
  value::SequenceView code;
  if (bytes[0] == '\1') {
    if (!read_code(bytes, at, tails, code)) return false;
    out.floor = code;
  }
  uint64_t count = 0;
  if (!state::read_varint(bytes, at, count) || count > now.size()) return false;
  for (uint64_t i = 0; i < count; ++i) {
    if (!read_code(bytes, at, tails, code)) return false;
    out.sequences.push_back(code);
  }
  for (const size_t leaf : now) {
    uint64_t author = 0;
    if (!state::read_varint(bytes, at, author) || author > count) return false;
    if (leaf != Leaves::kNone) out.author[leaf] = static_cast<uint32_t>(author);
  }
  return true;
}

}  // namespace lakebed::run

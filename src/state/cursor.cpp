#include <algorithm>

#include "state/run.h"
#include "state/table_state.h"

namespace lakebed::state {

namespace {

enum class Bound : uint8_t { kAtMost, kBelow, kAtLeast, kAbove };

bool looks_down(Bound bound) { return bound == Bound::kAtMost || bound == Bound::kBelow; }

}  // namespace

struct Cursor::Parts {
  // Rows of the key in one run: [begin, hidden) rows, [hidden, end) hidden events.
  struct Part {
    const OpenRun* run = nullptr;
    size_t begin = 0, hidden = 0, end = 0;
    size_t first_of(EntryKind kind) const { return kind == EntryKind::kRow ? begin : hidden; }
    size_t end_of(EntryKind kind) const { return kind == EntryKind::kRow ? hidden : end; }
  };

  explicit Parts(const TableState& s) : state(&s) {}
  Result<std::optional<Entry>> answer(EntryKind kind, Bound bound, value::SequenceView s,
                                      bool bounded);
  Result<std::optional<size_t>> best_in(const Part& part, EntryKind kind, Bound bound,
                                        value::SequenceView s, bool bounded);
  size_t position(const Part& part, EntryKind kind, value::SequenceView s, bool after);

  const TableState* state;
  std::vector<size_t> hints;  // by run of the state: where the last key began
  Hash128 last;
  std::vector<Part> parts;    // newest first
  uint64_t read = 0;
};

Cursor::Cursor(const TableState& state) : parts_(std::make_unique<Parts>(state)) {
  LAKEBED_ASSERT(state.identity() == Identity::kKeyKindSequence);
  parts_->hints.assign(state.set("").size(), 0);
}
Cursor::~Cursor() = default;
Cursor::Cursor(Cursor&&) noexcept = default;

Result<bool> Cursor::seek(const Hash128& key) {
  Parts& parts = *parts_;
  const auto& runs = parts.state->set("");
  if (key < parts.last) std::fill(parts.hints.begin(), parts.hints.end(), 0);
  parts.last = key;
  parts.parts.clear();
  for (size_t i = 0; i < runs.size(); ++i) {
    const RunRef& ref = runs[i].ref;
    if (key.high < ref.low || key.high > ref.high) continue;
    const OpenRun& run = *runs[i].run;
    const size_t begin = parts.hints[i] = run.find(key, parts.hints[i]);
    LAKEBED_TRY(run.check_keys_around(begin));
    if (begin >= run.size() || run.key(begin) != key) continue;
    const size_t end = run.end_of_key(begin);
    LAKEBED_TRY(run.check_around(end));
    size_t rows = begin;
    size_t above = end;
    while (rows < above) {
      const size_t middle = rows + (above - rows) / 2;
      if (run.kind(middle) == EntryKind::kRow) {
        rows = middle + 1;
      } else {
        above = middle;
      }
    }
    LAKEBED_TRY(run.check_around(rows));
    parts.parts.push_back({&run, begin, rows, end});
  }
  return !parts.parts.empty();
}

// The first row of that kind whose sequence is >= s (or > s).
size_t Cursor::Parts::position(const Part& part, EntryKind kind, value::SequenceView s,
                               bool after) {
  size_t below = part.first_of(kind);
  size_t above = part.end_of(kind);
  while (below < above) {
    const size_t middle = below + (above - below) / 2;
    const auto order = part.run->sequence(middle) <=> s;
    ++read;
    if (order < 0 || (after && order == 0)) {
      below = middle + 1;
    } else {
      above = middle;
    }
  }
  return below;
}

Result<std::optional<size_t>> Cursor::Parts::best_in(const Part& part, EntryKind kind, Bound bound,
                                                     value::SequenceView s, bool bounded) {
  const size_t first = part.first_of(kind);
  const size_t end = part.end_of(kind);
  if (first == end) return std::optional<size_t>();
  size_t at = looks_down(bound) ? end : first;
  if (bounded) at = position(part, kind, s, bound == Bound::kAtMost || bound == Bound::kAbove);
  LAKEBED_TRY(part.run->check_around(at));
  if (looks_down(bound)) return at == first ? std::optional<size_t>() : at - 1;
  return at == end ? std::optional<size_t>() : at;
}

Result<std::optional<Entry>> Cursor::Parts::answer(EntryKind kind, Bound bound,
                                                   value::SequenceView s, bool bounded) {
  for (;;) {
    const Part* winner = nullptr;
    size_t winner_row = 0;
    value::SequenceView best;
    for (const Part& part : parts) {
      LAKEBED_ASSIGN(const auto row, best_in(part, kind, bound, s, bounded));
      if (!row.has_value()) continue;
      const value::SequenceView sequence = part.run->sequence(*row);
      ++read;
      // At equal sequences the newer run, which came first, stays.
      const bool better =
          winner == nullptr || (looks_down(bound) ? sequence > best : sequence < best);
      if (!better) continue;
      winner = &part;
      winner_row = *row;
      best = sequence;
    }
    if (winner == nullptr) return std::optional<Entry>();
    const Entry entry = winner->run->entry(winner_row);
    if (!entry.is_gone()) return std::optional<Entry>(entry);
    s = best;  // gone: what lies beyond it
    bounded = true;
    bound = looks_down(bound) ? Bound::kBelow : Bound::kAbove;
  }
}

Result<std::optional<Entry>> Cursor::at_most(EntryKind kind, value::SequenceView s) {
  return parts_->answer(kind, Bound::kAtMost, s, true);
}
Result<std::optional<Entry>> Cursor::below(EntryKind kind, value::SequenceView s) {
  return parts_->answer(kind, Bound::kBelow, s, true);
}
Result<std::optional<Entry>> Cursor::greatest(EntryKind kind) {
  return parts_->answer(kind, Bound::kBelow, {}, false);
}
Result<std::optional<Entry>> Cursor::at_least(EntryKind kind, value::SequenceView s) {
  return parts_->answer(kind, Bound::kAtLeast, s, true);
}
Result<std::optional<Entry>> Cursor::above(EntryKind kind, value::SequenceView s) {
  return parts_->answer(kind, Bound::kAbove, s, true);
}
Result<std::optional<Entry>> Cursor::smallest(EntryKind kind) {
  return parts_->answer(kind, Bound::kAbove, {}, false);
}

uint64_t Cursor::entries_read() const { return parts_->read; }

}  // namespace lakebed::state

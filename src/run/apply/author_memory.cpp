// Which targets remember authors, and since when (rule P3).
#include "run/apply/author_memory.h"

#include <algorithm>

#include "state/row_codec.h"

namespace lakebed::run {

namespace {

// The columns that the target had when it began to, as a schema of payloads.
constexpr const char* kAuthorsFact = "authors";

bool is_partial(const Flow& flow) {
  const plan::FeedSpec* feed = flow.feed();
  return feed != nullptr && (feed->ignore_null_updates || feed->columns_to_update);
}

}  // namespace

Result<std::optional<AuthorMemory>> author_memory(const Pipeline& pipeline, const Dataset& target,
                                                  TargetKind kind, const Table& table) {
  const auto fact = table.memory->fact(state::FactSection::kTable, kAuthorsFact);
  if (fact) {
    LAKEBED_ASSIGN(value::Schema before, state::schema_from_json(*fact));
    return std::optional(AuthorMemory{std::move(before), false});
  }
  const bool asked = std::any_of(target.flows.begin(), target.flows.end(),
                                 [&](size_t flow) { return is_partial(pipeline.flows[flow]); });
  if (!asked) return std::optional<AuthorMemory>{};
  return std::optional(AuthorMemory{without_time_columns(table.snapshot.schema(), kind), true});
}

void remember_authors(const AuthorMemory& authors, state::StateWriter& memory) {
  if (!authors.is_new) return;
  memory.set_fact(state::FactSection::kTable, kAuthorsFact, state::schema_to_json(authors.before));
}

}  // namespace lakebed::run

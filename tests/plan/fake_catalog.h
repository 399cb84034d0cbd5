// A catalog of a few tables, and helpers that resolve SQL text over it.
#pragma once

#include <string>

#include "plan/resolve.h"

namespace lakebed::plan {

// Tables: t (many types, with _metadata), u (a, c), views v and w, read_files('..') with (k, v).
class FakeCatalog : public Catalog {
 public:
  Result<Source> find_table(const std::vector<std::string>& name, bool streaming,
                            const std::map<std::string, std::string>& options) override;
  Result<std::optional<Source>> call_function(const std::string& name,
                                              const std::vector<std::string>& positional,
                                              const std::map<std::string, std::string>& named,
                                              bool streaming) override;
  std::vector<std::string> last_positional;
  std::map<std::string, std::string> last_named;
};

// 2030-01-02 03:04:05 UTC.
inline constexpr int64_t kNow = 1'893'553'445'000'000;

Result<ResolvedQuery> resolve_text(const std::string& sql, const std::string& zone = "UTC");
// "a INT, b STRING" of the result, or the error's code; a breach of the contract instead of both.
std::string schema_of(const std::string& sql);
// The plan as text, or the error.
std::string plan_of(const std::string& sql);
// The code of the error and where: "CODE@line:column", or the schema when there is none.
std::string error_of(const std::string& sql);

}  // namespace lakebed::plan

#include "engine/duck/csv.h"
namespace lakebed::engine::duck {
Result<std::unique_ptr<value::BatchReader>> open_csv(
    const std::shared_ptr<Database>&, const std::string& path, const value::Schema&,
    const std::map<std::string, std::string>&) {
  return update_error("CSV_OPTION_NOT_SUPPORTED", path);
}
}  // namespace lakebed::engine::duck

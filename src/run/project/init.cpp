#include "run/project/init.h"

#include <filesystem>
#include <fstream>

namespace lakebed::run {

namespace fs = std::filesystem;

namespace {

struct TemplateFile {
  const char* path;
  const char* text;
};

constexpr TemplateFile kFiles[] = {
    {"transformations/customers.sql", R"(-- The feed: JSON lines, in any order, with repeats.
CREATE TEMPORARY VIEW customer_changes AS
SELECT * FROM STREAM read_files('feeds/customers', format => 'json',
  schema => 'id INT, name STRING, city STRING, operation STRING, version BIGINT');

-- Current rows (SCD type 1).
CREATE OR REFRESH STREAMING TABLE customers;

CREATE FLOW current_customers AS AUTO CDC INTO customers
FROM STREAM(customer_changes)
KEYS (id)
APPLY AS DELETE WHEN operation = 'DELETE'
SEQUENCE BY version
COLUMNS * EXCEPT (operation, version)
STORED AS SCD TYPE 1;

-- Their history (SCD type 2): __START_AT and __END_AT say when each version held.
CREATE OR REFRESH STREAMING TABLE customers_history;

CREATE FLOW customer_history AS AUTO CDC INTO customers_history
FROM STREAM(customer_changes)
KEYS (id)
APPLY AS DELETE WHEN operation = 'DELETE'
SEQUENCE BY version
COLUMNS * EXCEPT (operation, version)
STORED AS SCD TYPE 2;
)"},
    {"feeds/customers/0001.json",
     R"({"id": 1, "name": "Ada", "city": "London", "operation": "INSERT", "version": 1}
{"id": 2, "name": "Grace", "city": "New York", "operation": "INSERT", "version": 2}
{"id": 3, "name": "Edsger", "city": "Rotterdam", "operation": "INSERT", "version": 3}
)"},
    {"feeds/customers/0002.json",
     R"({"id": 1, "name": "Ada", "city": "Paris", "operation": "UPDATE", "version": 6}
{"id": 3, "name": null, "city": null, "operation": "DELETE", "version": 7}
{"id": 1, "name": "Ada", "city": "Ockham", "operation": "UPDATE", "version": 5}
)"},
};

Status write(const fs::path& path, const std::string& text) {
  std::error_code problem;
  fs::create_directories(path.parent_path(), problem);
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) return update_error("STORE.IO", path.string() + " can't be written");
  return {};
}

}  // namespace

Status init_project(const std::string& name) {
  const fs::path folder(name);
  std::error_code problem;
  if (fs::exists(folder, problem) && !fs::is_empty(folder, problem)) {
    return project_error("PROJECT_EXISTS", name + " exists and is not empty")
        .with_hint("choose another name");
  }
  const std::string title = folder.filename().empty() ? folder.parent_path().filename().string()
                                                      : folder.filename().string();
  LAKEBED_TRY(write(folder / "spark-pipeline.yml",
                    "name: \"" + title +
                        "\"\nstorage: storage\ncatalog: main\ndatabase: default\nlibraries:\n"
                        "  - glob:\n      include: transformations/**\n"));
  for (const TemplateFile& file : kFiles) LAKEBED_TRY(write(folder / file.path, file.text));
  return {};
}

}  // namespace lakebed::run

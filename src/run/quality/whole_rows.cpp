#include "run/quality/whole_rows.h"

#include "source/rows.h"

namespace lakebed::run {

namespace {

// Knows one table: the rows that are tested.
class RowsAtHand : public plan::Catalog {
 public:
  explicit RowsAtHand(const value::Schema& columns) { source_.schema = columns; }
  Result<plan::Source> find_table(const std::vector<std::string>&, bool,
                                  const std::map<std::string, std::string>&) override {
    return source_;
  }
  Result<std::optional<plan::Source>> call_function(const std::string&,
                                                    const std::vector<std::string>&,
                                                    const std::map<std::string, std::string>&,
                                                    bool) override {
    return std::optional<plan::Source>{};
  }

 private:
  plan::Source source_;
};

plan::RelationPtr read_rows() {
  auto node = std::make_shared<plan::Relation>();
  node->kind = plan::RelationKind::kRead;
  node->name_parts = {"rows"};
  return node;
}

}  // namespace

Result<WholeRowTests> WholeRowTests::make(Session& session, const CdcPlan& plan,
                                          const value::Schema& columns,
                                          const value::Schema& others) {
  LAKEBED_ASSIGN(const auto conditions,
                 expectation_columns(plan.expectations, columns, others, nullptr));
  RowsAtHand catalog(columns);
  LAKEBED_ASSIGN(plan::ResolvedQuery query,
                 plan::resolve_projection(read_rows(), conditions, nullptr, catalog,
                                          session.resolve_options()));
  return WholeRowTests(session, std::move(query),
                       RowTests(plan.expectations, plan.target, plan.flow));
}

Status WholeRowTests::judge(const value::ColumnBatch& rows, std::vector<bool>& hidden,
                            const std::function<bool(size_t row)>& counts) {
  hidden.clear();
  const auto shared = std::make_shared<const value::ColumnBatch>(rows);
  std::map<uint32_t, engine::ScanInput> inputs;
  for (const plan::Scan& scan : query_.scans) {
    LAKEBED_ASSIGN(inputs[scan.leaf], source::rows_slice(shared).input(scan.schema));
  }
  LAKEBED_ASSIGN(engine::Engine * engine, session_->engine());
  LAKEBED_ASSIGN(const auto reader, engine->run(query_, inputs));
  std::vector<bool> of_part;
  while (true) {
    LAKEBED_ASSIGN(const auto part, reader->next());
    if (!part) break;
    const size_t first = hidden.size();
    tests_.judge(*part, 0, of_part, [&](size_t row) { return counts(first + row); });
    hidden.insert(hidden.end(), of_part.begin(), of_part.end());
  }
  LAKEBED_ASSERT(hidden.size() == rows.rows);
  return {};
}

}  // namespace lakebed::run

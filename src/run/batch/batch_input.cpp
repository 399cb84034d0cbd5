#include "run/snapshot/file_pruning.h"
#include "run/update/flow_run.h"

namespace lakebed::run {

namespace {

// What a streaming scan reads when nothing is pending for it but for others of the same plan.
engine::ScanInput empty_input(const value::Schema& schema) {
  class Empty : public value::BatchReader {
   public:
    explicit Empty(value::Schema schema) : schema_(std::move(schema)) {}
    const value::Schema& schema() const override { return schema_; }
    Result<std::optional<value::ColumnBatch>> next() override {
      return std::optional<value::ColumnBatch>{};
    }

   private:
    value::Schema schema_;
  };
  engine::ScanInput input;
  input.reader = [schema]() -> Result<std::unique_ptr<value::BatchReader>> {
    return std::unique_ptr<value::BatchReader>(std::make_unique<Empty>(schema));
  };
  return input;
}

class NothingSeen : public source::SeenFiles {
 public:
  Result<std::optional<source::SeenFile>> lookup(const std::string&) override {
    return std::optional<source::SeenFile>{};
  }
};

}  // namespace

Result<BatchInput> next_batch(const plan::ResolvedQuery& query, QueryCatalog& catalog,
                              FlowProgress& progress) {
  BatchInput batch;
  for (const plan::Scan& scan : query.scans) {
    OpenScan& open = catalog.scan(scan.token);
    LAKEBED_ASSERT(open.source != nullptr);
    if (!open.streaming) continue;
    NothingSeen nothing;
    source::SeenFiles* seen = progress.seen(open.id);
    LAKEBED_ASSIGN(auto slice,
                   open.source->next_slice(progress.position(open.id), seen ? *seen : nothing));
    if (!slice) {
      batch.inputs[scan.leaf] = empty_input(scan.schema);
      continue;
    }
    LAKEBED_ASSIGN(batch.inputs[scan.leaf], slice->input(scan.schema));
    batch.notices.insert(batch.notices.end(), slice->notices.begin(), slice->notices.end());
    batch.more = batch.more || slice->more;
    batch.slices.emplace_back(open.id, std::move(*slice));
    batch.pending = true;
  }
  if (!batch.pending) return batch;
  for (const plan::Scan& scan : query.scans) {
    OpenScan& open = catalog.scan(scan.token);
    if (open.streaming) continue;
    LAKEBED_ASSIGN(const source::Slice all, open.source->read_all());
    LAKEBED_ASSIGN(batch.inputs[scan.leaf], all.input(scan.schema));
  }
  return batch;
}

Result<std::map<uint32_t, engine::ScanInput>> whole_inputs(const plan::ResolvedQuery& query,
                                                           QueryCatalog& catalog) {
  std::map<uint32_t, engine::ScanInput> inputs;
  std::vector<std::pair<const plan::Scan*, plan::ExpressionPtr>> by_file;
  for (const plan::Scan& scan : query.scans) {
    OpenScan& open = catalog.scan(scan.token);
    if (!open.source) {
      return update_error("TABLE_NOT_MADE_YET", "a table that this query reads was not made yet")
          .with_span(scan.span)
          .with_hint("run the pipeline first: lakebed run");
    }
    if (auto condition = file_condition(query, scan)) {
      by_file.emplace_back(&scan, std::move(condition));
      continue;
    }
    LAKEBED_ASSIGN(const source::Slice all, open.source->read_all());
    LAKEBED_ASSIGN(inputs[scan.leaf], all.input(scan.schema));
  }
  // The conditions may ask what the other scans hold.
  for (const auto& [scan, condition] : by_file) {
    LAKEBED_ASSIGN(engine::Engine * engine, catalog.session().engine());
    LAKEBED_ASSIGN(const source::Slice some, read_chosen(*catalog.scan(scan->token).source, query,
                                                         *scan, condition, inputs, *engine));
    LAKEBED_ASSIGN(inputs[scan->leaf], some.input(scan->schema));
  }
  return inputs;
}

Result<BatchInput> whole_batch(const plan::ResolvedQuery& query, QueryCatalog& catalog) {
  BatchInput batch;
  LAKEBED_ASSIGN(batch.inputs, whole_inputs(query, catalog));
  batch.pending = true;
  batch.whole = true;
  return batch;
}

std::string BatchInput::covers() const {
  if (whole) return "everything, once";
  std::string all;
  for (const auto& [scan, slice] : slices) all += (all.empty() ? "" : "; ") + slice.covers;
  return all;
}

}  // namespace lakebed::run

// Expectations of targets with partial updates (rules F6, P3): conditions are asked of whole rows,
// when what an event does not say has been taken from those before it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/resolve.h"
#include "run/pipeline/flow_plan.h"
#include "run/project/session.h"
#include "run/quality/expectations.h"

namespace lakebed::run {

class WholeRowTests {
 public:
  // The tests of a plan's target over rows of `columns`; `others` as in expectation_columns. The
  // plan outlives them. Errors: those of expectation_columns and of resolution.
  static Result<WholeRowTests> make(Session& session, const CdcPlan& plan,
                                    const value::Schema& columns, const value::Schema& others);

  // Sets hidden[row] for rows that are to be dropped; rows that `counts` says no to are passed
  // over. Errors of evaluation.
  Status judge(const value::ColumnBatch& rows, std::vector<bool>& hidden,
               const std::function<bool(size_t row)>& counts);
  // As those of RowTests.
  Status verdict() const { return tests_.verdict(); }
  const DataQuality& quality() const { return tests_.quality(); }

 private:
  WholeRowTests(Session& session, plan::ResolvedQuery query, RowTests tests)
      : session_(&session), query_(std::move(query)), tests_(std::move(tests)) {}

  Session* session_;
  plan::ResolvedQuery query_;
  RowTests tests_;
};

}  // namespace lakebed::run

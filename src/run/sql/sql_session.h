// `lakebed sql`: statements over the project's catalog, one after another.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "run/pipeline/pipeline.h"
#include "run/project/session.h"
#include "value/column.h"

namespace lakebed::run {

// Receives the rows of a statement that has rows, batch by batch. An empty result comes as one
// batch without rows, so that its columns are known.
class RowSink {
 public:
  virtual ~RowSink() = default;
  // A statement begins: its rows are a result of their own, its instants are shown in this zone.
  virtual void begin(const std::string& time_zone) { static_cast<void>(time_zone); }
  virtual Status rows(const value::ColumnBatch& batch) = 0;
};

class SqlSession {
 public:
  // A pipeline that can't be read is no obstacle: its views are then unknown.
  explicit SqlSession(Session& session);
  ~SqlSession();

  // Runs a script; stops at the first error. Errors of a statement carry its place in the text.
  // `file` is how spans name the text.
  Status run(const std::string& text, const std::string& file, RowSink& sink);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace lakebed::run

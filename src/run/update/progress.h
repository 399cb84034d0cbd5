// How far a flow has read, out of the memory of its target: positions and seen files by scan.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "run/pipeline/catalog.h"
#include "run/project/project.h"
#include "state/state_writer.h"

namespace lakebed::run {

class FlowProgress : public Progress {
 public:
  // `memory` may be null: nothing was read yet. Requires: project and memory outlive this.
  FlowProgress(const Project& project, const state::TableState* memory, std::string flow);
  ~FlowProgress() override;

  std::string position(const std::string& scan_id) override;
  source::SeenFiles* seen(const std::string& scan_id) override;

  // Stores that the slice of that scan was read, with the commit that `writer` belongs to.
  void advance(const std::string& scan_id, const source::Slice& slice, state::StateWriter& writer);

 private:
  class Seen;
  std::string set_name(const std::string& scan_id) const;

  const Project& project_;
  const state::TableState* memory_;
  std::string flow_;
  std::map<std::string, std::string> positions_;
  std::map<std::string, std::unique_ptr<Seen>> seen_;
};

}  // namespace lakebed::run

#include "run/update/progress.h"

#include "base/json.h"
#include "base/names.h"

namespace lakebed::run {

// File names are kept relative to the project where they lie inside it, so that a project may be
// moved as a whole.
class FlowProgress::Seen : public source::SeenFiles {
 public:
  Seen(const Project& project, const state::TableState& memory, std::string set)
      : project_(project), memory_(memory), set_(std::move(set)) {}

  Result<std::optional<source::SeenFile>> lookup(const std::string& path) override {
    LAKEBED_ASSIGN(const auto found, memory_.seen(set_, project_.shown(path)));
    if (!found) return std::optional<source::SeenFile>{};
    return std::optional(source::SeenFile{path, found->size, found->modified_us});
  }

 private:
  const Project& project_;
  const state::TableState& memory_;
  std::string set_;
};

FlowProgress::FlowProgress(const Project& project, const state::TableState* memory,
                           std::string flow)
    : project_(project), memory_(memory), flow_(fold_case(flow)) {
  if (!memory_) return;
  const auto fact = memory_->fact(state::FactSection::kPosition, flow_);
  if (!fact) return;
  const auto json = parse_json(*fact);
  if (!json.ok() || !json->is_object()) return;
  for (const auto& [scan, position] : json->items()) positions_[scan] = position.get<std::string>();
}

FlowProgress::~FlowProgress() = default;

std::string FlowProgress::set_name(const std::string& scan_id) const {
  return flow_ + "/" + scan_id;
}

std::string FlowProgress::position(const std::string& scan_id) {
  const auto found = positions_.find(scan_id);
  return found == positions_.end() ? "" : found->second;
}

source::SeenFiles* FlowProgress::seen(const std::string& scan_id) {
  if (!memory_) return nullptr;
  auto& slot = seen_[scan_id];
  if (!slot) slot = std::make_unique<Seen>(project_, *memory_, set_name(scan_id));
  return slot.get();
}

void FlowProgress::advance(const std::string& scan_id, const source::Slice& slice,
                           state::StateWriter& writer) {
  positions_[scan_id] = slice.position;
  Json json = Json::object();
  for (const auto& [scan, position] : positions_) json[scan] = position;
  writer.set_position(flow_, json.dump());
  for (const source::SeenFile& file : slice.files) {
    writer.add_seen(set_name(scan_id), project_.shown(file.path), {file.size, file.modified_us});
  }
}

}  // namespace lakebed::run

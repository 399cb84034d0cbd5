// The JSON part of a manifest: what it sets, over what its parent said. Sections that hold many
// items name only the changed ones; null removes an item.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "state/manifest.h"

namespace lakebed::state {

// The text of a base (before and parent null) or of the difference to `before`.
std::string manifest_json(const ManifestData& data, const ManifestData* before,
                          const ManifestRef* parent);

// The parent that a manifest names. `file` names the manifest in errors (STATE_DAMAGED).
Result<std::optional<ManifestRef>> manifest_parent(const Json& json, const std::string& file);

// Puts what the manifest sets over `data`.
Status apply_manifest_json(const Json& json, const std::string& file, ManifestData& data);

}  // namespace lakebed::state

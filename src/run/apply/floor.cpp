#include "run/apply/floor.h"

#include "base/json.h"

namespace lakebed::run {

namespace {

// {"head": "<16 hex>", "tail": "<hex>", "applied_at_us": n}
constexpr const char* kFloorFact = "truncate_floor";

std::string to_hex(const std::string& bytes) {
  static const char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out += kDigits[static_cast<uint8_t>(c) >> 4];
    out += kDigits[static_cast<uint8_t>(c) & 15];
  }
  return out;
}

std::string from_hex(const std::string& text) {
  std::string out;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    out += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  }
  return out;
}

}  // namespace

Result<std::optional<value::SequenceCode>> read_floor(const state::TableState& memory) {
  const auto fact = memory.fact(state::FactSection::kTable, kFloorFact);
  if (!fact) return std::optional<value::SequenceCode>{};
  LAKEBED_ASSIGN(const Json json, parse_json(*fact, "STATE_DAMAGED"));
  value::SequenceCode code;
  code.head = std::stoull(json.value("head", "0"), nullptr, 16);
  code.tail = from_hex(json.value("tail", ""));
  return std::optional(std::move(code));
}

void store_floor(const value::SequenceView& floor, int64_t applied_at_us,
                 state::StateWriter& memory) {
  const value::SequenceCode code = floor.own();
  const Json json = {
      {"head", hex64(code.head)}, {"tail", to_hex(code.tail)}, {"applied_at_us", applied_at_us}};
  memory.set_fact(state::FactSection::kTable, kFloorFact, json.dump());
}

}  // namespace lakebed::run

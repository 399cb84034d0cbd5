#include "engine/duck/row_sets.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "engine/duck/scalar_udf.h"

namespace lakebed::engine::duck {

namespace {

// Published sets by id, for all databases of the process.
struct Published {
  std::mutex mutex;
  std::map<int64_t, std::shared_ptr<const RowSet>> sets;
  int64_t next = 0;
};

Published& published() {
  static Published state;
  return state;
}

std::shared_ptr<const RowSet> find_set(int64_t id) {
  Published& state = published();
  const std::lock_guard guard(state.mutex);
  const auto found = state.sets.find(id);
  return found == state.sets.end() ? nullptr : found->second;
}

// Withdraws a set when the last handle goes.
class Withdrawal {
 public:
  explicit Withdrawal(int64_t id) : id_(id) {}
  Withdrawal(const Withdrawal&) = delete;
  Withdrawal& operator=(const Withdrawal&) = delete;
  ~Withdrawal() {
    Published& state = published();
    const std::lock_guard guard(state.mutex);
    state.sets.erase(id_);
  }

 private:
  int64_t id_;
};

template <typename T>
const T* data_of(duckdb_data_chunk input, idx_t column) {
  return static_cast<const T*>(api().vector_get_data(api().data_chunk_get_vector(input, column)));
}

Status row_listed(duckdb_data_chunk input, duckdb_vector output) {
  const idx_t rows = api().data_chunk_get_size(input);
  if (rows == 0) return {};
  const auto set = find_set(data_of<int64_t>(input, 0)[0]);
  if (set == nullptr) return update_error("ENGINE_ERROR", "a set of rows is not known");
  const auto* files = data_of<int64_t>(input, 1);
  const auto* numbers = data_of<int64_t>(input, 2);
  auto* out = static_cast<bool*>(api().vector_get_data(output));
  for (idx_t i = 0; i < rows; ++i) {
    out[i] = set->contains(static_cast<size_t>(files[i]), static_cast<uint64_t>(numbers[i]));
  }
  return {};
}

}  // namespace

void RowSet::add(size_t file, const std::vector<uint64_t>& rows) {
  if (rows.empty()) return;
  auto& bits = bitmaps_[file];
  const uint64_t greatest = *std::max_element(rows.begin(), rows.end());
  if (bits.size() <= greatest / 64) bits.resize(greatest / 64 + 1, 0);
  for (const uint64_t row : rows) bits[row / 64] |= uint64_t{1} << (row % 64);
}

RowSetHandle publish_row_set(std::shared_ptr<const RowSet> set) {
  Published& state = published();
  RowSetHandle handle;
  {
    const std::lock_guard guard(state.mutex);
    handle.id = ++state.next;
    state.sets.emplace(handle.id, std::move(set));
  }
  handle.keep = std::make_shared<const Withdrawal>(handle.id);
  return handle;
}

Status register_row_sets(Connection& connection) {
  ScalarFunction function;
  function.name = "lb_row_listed";
  function.arguments = {value::Kind::kLong, value::Kind::kLong, value::Kind::kLong};
  function.result = value::Kind::kBoolean;
  function.raw = row_listed;
  return register_scalar(connection, {function});
}

}  // namespace lakebed::engine::duck

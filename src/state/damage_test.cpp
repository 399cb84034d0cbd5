// No damaged byte of any state file is ever used in silence.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <set>

#include "base/world.h"
#include "state/bytes.h"
#include "state/state_writer.h"

namespace lakebed::state {
namespace {

Hash128 key_of(uint64_t number) { return hash128(std::to_string(number)); }

std::vector<uint64_t> ordered_numbers(uint64_t count) {
  std::vector<uint64_t> numbers(count);
  for (uint64_t i = 0; i < count; ++i) numbers[i] = i;
  std::sort(numbers.begin(), numbers.end(),
            [](uint64_t a, uint64_t b) { return key_of(a) < key_of(b); });
  return numbers;
}

class StateDamage : public ::testing::Test {
 protected:
  // `embed`: everything in manifests; else runs and heaps are files of their own.
  void build(bool embed) {
    store_ = store::memory_store();
    state_ = std::move(*TableState::create(*store_, Identity::kKey));
    tuning_.embed_bytes = embed ? 1 << 20 : 0;
    state_->tune(tuning_);
    for (int round = 0; round < 3; ++round) add_round(round, 300);
  }

  void add_round(int round, uint64_t count) {
    StateWriter writer(*state_, fmt::format("txn-{}", round));
    value::Schema schema(1);
    schema[0].name = "a";
    schema[0].type = value::Kind::kString;
    for (const uint64_t number : ordered_numbers(count)) {
      Entry entry;
      entry.key = key_of(number);
      const std::string tail = std::to_string(number % 17);
      entry.sequence = {number + static_cast<uint64_t>(round), tail};
      entry.value_hash = number * 77;
      entry.tracked_hash = number * 78;
      entry.applied_at = static_cast<uint32_t>(1000 + number);
      entry.flags = kHasPlaceBit;
      entry.file = state_->files().id(fmt::format("part-{}.parquet", number % 3));
      entry.row = static_cast<uint32_t>(number);
      auto ref = writer.append_payload(writer.schema_id(schema), fmt::format("row {}", number));
      entry.payload = *ref;
      ASSERT_TRUE(writer.add_entry(entry).ok());
    }
    writer.set_position("flow", fmt::format("{{\"at\":{}}}", round));
    writer.add_seen("files", fmt::format("{}.json", round), {10, 20});
    auto done = writer.finish(round, "files");
    ASSERT_TRUE(done.ok());
    head_ = done->manifest;
    ASSERT_TRUE(state_->apply(std::move(*done)).ok());
  }

  // Everything that can be read, as one text; or the error.
  Result<std::string> read_all(const ManifestRef& head) {
    LAKEBED_ASSIGN(auto state, TableState::open(*store_, head));
    std::string out = state->fact(FactSection::kPosition, "flow").value_or("none");
    LAKEBED_TRY(state->scan_all([&](const Entry& entry) -> Status {
      LAKEBED_ASSIGN(const auto payload, state->payload(entry.payload));
      LAKEBED_ASSIGN(const auto schema, state->schema(payload.schema_id));
      out += fmt::format("{} {} {} {} {} {} {} {}\n", entry.key.high, entry.sequence.head,
                         entry.sequence.tail, entry.value_hash, entry.tracked_hash,
                         entry.applied_at, state->files().name(entry.file), entry.row);
      out.append(payload.row).append(schema[0].name);
      return {};
    }));
    LAKEBED_ASSIGN(const auto seen, state->seen("files", "1.json"));
    out += seen.has_value() ? "seen" : "not seen";
    return out;
  }

  // Damage in what newer runs override may not be met; what is met is never wrong.
  void expect_found(const std::string& whole, const std::string& where) {
    const auto read = read_all(head_);
    if (read.ok()) {
      EXPECT_EQ(*read, whole) << where;
    } else {
      EXPECT_TRUE(read.error().code == "STATE_DAMAGED" ||
                  read.error().code == "STATE_FORMAT_UNKNOWN")
          << read.error().text();
    }
    const auto state = TableState::open(*store_, head_);
    EXPECT_FALSE(state.ok() && (*state)->verify_all().ok()) << where;
  }

  void expect_all_damage_found(size_t stride) {
    const auto whole = read_all(head_);
    ASSERT_TRUE(whole.ok()) << whole.error().text();
    for (const std::string& path : state_->live_files()) {
      const std::string bytes = *store_->read(path);
      for (size_t at = 0; at < bytes.size(); at += at < 300 ? 5 : stride) {
        std::string broken = bytes;
        broken[at] = static_cast<char>(broken[at] ^ 0x20);
        ASSERT_TRUE(store_->put(path, broken).ok());
        expect_found(*whole, fmt::format("{} at {}", path, at));
      }
      for (const size_t length : {size_t{0}, size_t{10}, bytes.size() / 2, bytes.size() - 1}) {
        ASSERT_TRUE(store_->put(path, bytes.substr(0, length)).ok());
        expect_found(*whole, fmt::format("{} cut to {}", path, length));
      }
      ASSERT_TRUE(store_->remove(path).ok());
      const auto read = read_all(head_);
      ASSERT_FALSE(read.ok());
      EXPECT_EQ(read.error().code, "STATE_DAMAGED");
      EXPECT_NE(read.error().text().find(path.substr(path.rfind('/') + 1)), std::string::npos);
      ASSERT_TRUE(store_->put(path, bytes).ok());
    }
    EXPECT_TRUE(read_all(head_).ok());
  }

  Tuning tuning_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<TableState> state_;
  ManifestRef head_;
};

TEST_F(StateDamage, EmbeddedSections) {
  build(true);
  EXPECT_EQ(state_->live_files().size(), 3U);
  expect_all_damage_found(211);
}

TEST_F(StateDamage, FilesOfTheirOwn) {
  build(false);
  EXPECT_EQ(state_->live_files().size(), 12U);  // manifest, run, heap and seen run of each round
  expect_all_damage_found(211);
}

TEST_F(StateDamage, LookUpsFindIt) {
  build(false);
  std::vector<Hash128> keys;
  for (const uint64_t number : ordered_numbers(300)) keys.push_back(key_of(number));
  for (const std::string& path : state_->live_files()) {
    if (path.find(".run") == std::string::npos) continue;
    const std::string bytes = *store_->read(path);
    if (bytes.size() < 4000) continue;  // seen files
    std::string broken = bytes;
    broken[bytes.size() - 2000] = static_cast<char>(~broken[bytes.size() - 2000]);
    ASSERT_TRUE(store_->put(path, broken).ok());
    auto state = TableState::open(*store_, head_);
    ASSERT_TRUE(state.ok());
    const auto found = (*state)->find_greatest(keys);
    const Status checked = (*state)->verify_all();
    ASSERT_FALSE(checked.ok());
    EXPECT_EQ(checked.error().code, "STATE_DAMAGED");
    // Only the newest run decides here; damage below it may stay unseen by look-ups.
    if (path.find("txn-2") != std::string::npos) {
      EXPECT_FALSE(found.ok());
    }
    ASSERT_TRUE(store_->put(path, bytes).ok());
  }
}

// A file of another table, whole in itself, is not taken for ours.
TEST_F(StateDamage, ForeignFileIsFound) {
  build(false);
  const std::vector<std::string> files = state_->live_files();
  const std::string other = *store_->read("_lakebed/state/txn-0-1.run");
  const std::string own = *store_->read("_lakebed/state/txn-1-1.run");
  ASSERT_NE(own, other);
  ASSERT_TRUE(store_->put("_lakebed/state/txn-1-1.run", other).ok());
  EXPECT_FALSE(read_all(head_).ok());
  ManifestRef wrong = head_;
  wrong.hash[3] = wrong.hash[3] == '0' ? '1' : '0';
  EXPECT_EQ(TableState::open(*store_, wrong).error().code, "STATE_DAMAGED");
}

TEST_F(StateDamage, NewerFormatIsRefusedByName) {
  build(true);
  const std::string path = std::string(kStateFolder) + head_.name;
  std::string bytes = *store_->read(path);
  store_number<uint32_t>(bytes.data() + 8, 2);
  ASSERT_TRUE(store_->put(path, bytes).ok());
  const ManifestRef newer{head_.name, manifest_hash(bytes)};
  EXPECT_EQ(TableState::open(*store_, newer).error().code, "STATE_FORMAT_UNKNOWN");
}

}  // namespace
}  // namespace lakebed::state

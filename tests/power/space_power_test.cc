// Power that goes while space is given back: what lived is whole, what was dead stays dead.

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "storage/rocks/rocks_store.h"
#include "tests/from_environment.h"
#include "tests/power/power_loss_file_system.h"
#include "tests/quiet_log.h"
#include "tests/seed_note.h"
#include "tests/storage/function_judge.h"

namespace wharf {
namespace {

// Rows of two tables, of which the first ones are dead: purged in one table, garbage in the other.
class HalfDeadStore {
 public:
  explicit HalfDeadStore(std::uint64_t seed) : random_(seed) {
    Open();
    WriteBatch rows;
    for (int row = 0; row < kRows; ++row) {
      rows.Put(kPurged, Key(row), RandomValue());
      rows.Put(kExpired, Key(row), RandomValue());
    }
    Write(std::move(rows));
    EXPECT_TRUE(store_->CompactAll().ok());
    WriteBatch purge;
    purge.DeleteRange(kPurged, DeadRange().begin, DeadRange().end);
    Write(std::move(purge));
    store_->NoteFreed({{kPurged, DeadRange()}});
    EXPECT_TRUE(store_->Flush().ok());
  }

  PowerLossDisk& disk() { return file_system_->disk(); }

  void ReturnSpace() {
    for (int step = 0; step < 20; ++step) static_cast<void>(store_->ReturnSpace(true));
  }
  void CutAndStart(std::uint64_t seed) {
    if (disk().has_power()) disk().CutPower(seed);
    store_.reset();
    disk().Reboot();
    Open();
  }
  // Of garbage any part may be there.
  void ExpectWhole() const {
    for (int row = 0; row < kRows; ++row) {
      const auto view = store_->View();
      const auto purged = view->Get(kPurged, Key(row));
      ASSERT_TRUE(purged.ok()) << row;
      EXPECT_EQ(purged->has_value(), row >= kDeadRows) << row;
      const auto expired = view->Get(kExpired, Key(row));
      ASSERT_TRUE(expired.ok()) << row;
      if (row >= kDeadRows) {
        EXPECT_TRUE(expired->has_value()) << row;
      }
    }
  }

 private:
  static constexpr TableId kPurged = 0;
  static constexpr TableId kExpired = 1;
  static constexpr int kRows = 600;
  static constexpr int kDeadRows = 400;

  static std::string Key(int number) { return std::to_string(1'000'000 + number); }
  static KeyRange DeadRange() { return {Key(0), Key(kDeadRows)}; }

  void Open() {
    GarbageOptions garbage =
        JudgedByKey([](std::string_view key, std::string_view) { return key < DeadRange().end; });
    garbage.ranges = [](std::string_view, std::size_t) { return std::vector{DeadRange()}; };
    auto opened = RocksStore::Open(
        {.path = "/data",
         .tables = {{.name = "purged", .is_deleted_singly = true},
                    {.name = "expired", .is_deleted_singly = true, .garbage = garbage}},
         .file_system = file_system_,
         .file_bytes_max = 64 << 10,
         .may_sleep = false});
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    store_ = *std::move(opened);
    store_->LimitCompactions(1 << 30);
  }
  std::string RandomValue() {
    std::string value(512, '\0');
    for (char& byte : value) byte = static_cast<char>(random_());
    return value;
  }
  void Write(WriteBatch batch) {
    ASSERT_TRUE(store_->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
  }

  const QuietLog quiet_;
  std::mt19937_64 random_;
  std::shared_ptr<PowerLossFileSystem> file_system_ = std::make_shared<PowerLossFileSystem>();
  std::unique_ptr<RocksStore> store_;
};

TEST(SpacePowerTest, ACutInTheMidstOfAStepLosesNothing) {
  const std::uint64_t rounds = FromEnvironment("WHARF_ROUNDS", 25);
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    const SeedNote note("WHARF_SEED=" + std::to_string(seed));
    HalfDeadStore store(seed);
    store.disk().CutPowerAfter(1 + seed * 7919 % 150, seed);

    store.ReturnSpace();
    store.CutAndStart(seed);
    store.ExpectWhole();

    store.ReturnSpace();
    store.ExpectWhole();
  }
}

}  // namespace
}  // namespace wharf

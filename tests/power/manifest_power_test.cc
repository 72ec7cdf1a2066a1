// What a power cut may do to the end of the MANIFEST, and what a start makes of it.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/crc.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/rocks/rocks_store.h"
#include "tests/log_like_bodies.h"
#include "tests/power/power_loss_file_system.h"
#include "tests/quiet_log.h"
#include "tests/seed_note.h"

namespace wharf {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFolder = "/data";
constexpr std::size_t kPage = 4096;
// Makes a record over the rest of the first page, the second, and into the third.
constexpr std::size_t kFieldBytes = 2 * kPage;

class ManifestPowerTest : public ::testing::Test {
 protected:
  // A folder as a killed broker left it, with one row.
  ManifestPowerTest() {
    const auto store = Open().value();
    WriteBatch batch;
    batch.Put(0, "key", "value");
    EXPECT_TRUE(store->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
  }

  PowerLossDisk& disk() { return file_system_->disk(); }

  Result<std::unique_ptr<RocksStore>> Open() {
    return RocksStore::Open({.path = kFolder,
                             .tables = {{.name = "table"}},
                             .file_system = file_system_,
                             .may_sleep = false});
  }

  void ExpectOpensWithItsRow() {
    const auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    EXPECT_EQ((*store)->View()->Get(0, "key").value(), "value");
  }

  DiskHandle Manifest() {
    const std::string name = ReadAll(File("CURRENT"));
    return File(name.substr(0, name.size() - 1));
  }

  DiskHandle File(const std::string& name) {
    DiskHandle file;
    EXPECT_TRUE(disk().Open(kFolder + ("/" + name), file).ok());
    return file;
  }

  std::string ReadAll(const DiskHandle& file) {
    std::string bytes(100'000, '\0');
    std::size_t size = 0;
    EXPECT_TRUE(disk().Read(file, 0, bytes.size(), bytes.data(), size).ok());
    return bytes.substr(0, size);
  }

  // A record of the MANIFEST as RocksDB would write it: an edit that says nothing but a field that
  // readers may ignore (its number has a bit for that), and what stands in it.
  static std::string Record(std::size_t size) { return RecordOf(std::string(size, 'x')); }
  static std::string RecordOf(const std::string& field) {
    std::string edit = "\xE4\x40";
    edit += static_cast<char>((field.size() & 0x7f) | 0x80);
    edit += static_cast<char>(field.size() >> 7);
    edit += field;
    std::string record(6, '\0');
    record[4] = static_cast<char>(edit.size() & 0xff);
    record[5] = static_cast<char>(edit.size() >> 8);
    record += '\1';
    record += edit;
    boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
    crc.process_bytes(record.data() + 6, record.size() - 6);
    const std::uint32_t sum = crc.checksum();
    const std::uint32_t masked = ((sum >> 15) | (sum << 17)) + 0xa282ead8u;
    for (int i = 0; i < 4; ++i) record[i] = static_cast<char>(masked >> (8 * i));
    return record;
  }

  // Synced, and then there are as many bytes as that before the next page.
  void FillUpTo(std::size_t bytes_before_page) {
    const DiskHandle manifest = Manifest();
    const std::size_t left = kPage - ReadAll(manifest).size() % kPage;
    const std::size_t around = Record(0).size();
    ASSERT_GE(left, around + bytes_before_page);
    ASSERT_TRUE(disk().Append(manifest, Record(left - around - bytes_before_page)).ok());
    ASSERT_TRUE(disk().Sync(manifest).ok());
  }

  // What the disk has of an unsynced record when these of its three pages arrived.
  void Tear(bool first, bool second, bool third) {
    Tear(Record(kFieldBytes), first, second, third);
  }
  void Tear(std::string record, bool first, bool second, bool third) {
    const DiskHandle manifest = Manifest();
    const std::size_t start = ReadAll(manifest).size() % kPage;
    const std::size_t ends[] = {kPage - start, 2 * kPage - start, record.size()};
    const bool is_kept[] = {first, second, third};
    for (std::size_t i = 0, at = 0; i < 3; at = ends[i++]) {
      if (!is_kept[i]) record.replace(at, ends[i] - at, ends[i] - at, '\0');
    }
    ASSERT_TRUE(disk().Append(manifest, record).ok());
  }

  QuietLog quiet_;
  std::shared_ptr<PowerLossFileSystem> file_system_ = std::make_shared<PowerLossFileSystem>();
};

TEST_F(ManifestPowerTest, RecordWhoseFirstPageArrivedAloneIsDropped) {
  Tear(true, false, false);

  ExpectOpensWithItsRow();
}

TEST_F(ManifestPowerTest, RecordWhoseMiddlePageIsMissingIsDropped) {
  Tear(true, false, true);

  ExpectOpensWithItsRow();
}

TEST_F(ManifestPowerTest, RecordWhoseLastPageIsMissingIsDropped) {
  Tear(true, true, false);

  ExpectOpensWithItsRow();
}

TEST_F(ManifestPowerTest, RecordWhoseFirstPageIsMissingIsDropped) {
  Tear(false, true, false);

  ExpectOpensWithItsRow();
}

// RocksDB refuses what has a header of zeros and something behind it.
TEST_F(ManifestPowerTest, RecordThatBeginsAtTheVeryEndOfAPageIsDropped) {
  for (std::size_t bytes = 1; bytes <= 20 && !HasFailure(); ++bytes) {
    SCOPED_TRACE(std::to_string(bytes) + " bytes before the page");
    FillUpTo(bytes);
    Tear(false, true, true);

    ExpectOpensWithItsRow();
  }
}

TEST_F(ManifestPowerTest, RecordThatEndsAtTheVeryBeginningOfAPageIsDropped) {
  for (std::size_t bytes = 1; bytes <= 20 && !HasFailure(); ++bytes) {
    SCOPED_TRACE(std::to_string(bytes) + " bytes in the last page");
    const std::size_t around = Record(200).size() - 200;
    FillUpTo(around + 200 - bytes);
    std::string record = Record(200);
    record.replace(record.size() - bytes, bytes, bytes, '\0');
    ASSERT_TRUE(disk().Append(Manifest(), record).ok());

    ExpectOpensWithItsRow();
  }
}

// The one of the disk model that RocksDB alone refuses is among them.
TEST_F(ManifestPowerTest, WhateverAPowerCutKeepsOfARecordTheNextStartOpens) {
  int torn = 0;
  for (std::uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
    const SeedNote note("seed " + std::to_string(seed));
    const std::string before = ReadAll(Manifest());
    ASSERT_TRUE(disk().Append(Manifest(), Record(kFieldBytes - 20 * seed)).ok());

    disk().CutPower(seed);
    disk().Reboot();
    const std::string kept = ReadAll(Manifest()).substr(before.size());
    torn += kept.starts_with(Record(kFieldBytes - 20 * seed).substr(0, 7)) &&
            kept.find('\0', 11) != std::string::npos;

    ExpectOpensWithItsRow();
  }
  EXPECT_GT(torn, 0);
}

TEST_F(ManifestPowerTest, WholeRecordIsReadOnEitherSideOfASync) {
  Tear(true, true, true);

  ExpectOpensWithItsRow();
}

// Clients choose keys, and some stand here. Seven bytes are a record: of type FULL, without
// content.
TEST_F(ManifestPowerTest, KeysThatLookLikeRecordsMakeNoTornRecordADamage) {
  std::string keys = ReadAll(Manifest()) + RecordOf("key");
  keys += EmptyLogRecords((kFieldBytes - keys.size()) / 7);

  for (int kept = 0; kept < 7 && !HasFailure(); ++kept) {
    SCOPED_TRACE(kept);
    Tear(RecordOf(keys), (kept & 1) != 0, (kept & 2) != 0, (kept & 4) != 0);

    ExpectOpensWithItsRow();
  }
}

class SyncedManifestTest : public ManifestPowerTest {
 protected:
  // Four pages of records, written and synced by RocksDB, and a few bytes.
  SyncedManifestTest() {
    const auto store = Open().value();
    for (int i = 0; i < 9; ++i) {
      WriteBatch batch;
      batch.Put(0, std::to_string(i) + std::string(900, 'k'), "value");
      EXPECT_TRUE(store->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
      EXPECT_TRUE(store->Flush().ok());
    }
  }

  void Write(std::size_t at, const std::string& bytes) {
    ASSERT_TRUE(disk().Write(Manifest(), at, bytes).ok());
  }
  void ExpectRefused() {
    EXPECT_THAT(Open().status().message(), HasSubstr("in a part that had been synced; restore"));
  }
};

TEST_F(SyncedManifestTest, FlippedBitIsNoTornRecord) {
  const std::string bytes = ReadAll(Manifest());
  ASSERT_GT(bytes.size(), 4 * kPage);
  for (std::size_t at = bytes.size() - 1; at > 61; at -= 61) {
    SCOPED_TRACE(at);
    Write(at, std::string(1, static_cast<char>(bytes[at] ^ 1)));
    ExpectRefused();
    Write(at, bytes.substr(at, 1));
  }
}

// As if they had not arrived; but they had been synced.
TEST_F(SyncedManifestTest, ZeroedPageIsNoTornRecord) {
  const std::string bytes = ReadAll(Manifest());
  for (std::size_t page = 0; page < bytes.size(); page += kPage) {
    SCOPED_TRACE(page);
    const std::size_t size = std::min(kPage, bytes.size() - page);
    // RocksDB drops an end of zeros by itself.
    if (page + size == bytes.size()) break;
    Write(page, std::string(size, '\0'));
    ExpectRefused();
    Write(page, bytes.substr(page, size));
  }
}

// As a folder that lost it: nobody knows any more what was synced.
TEST_F(SyncedManifestTest, WithoutItsNoteNothingIsTornAnyMore) {
  const std::string current = ReadAll(File("CURRENT"));
  const std::string manifest = current.substr(0, current.size() - 1);
  ASSERT_TRUE(disk().Remove(kFolder + ("/" + manifest + ".synced")).ok());
  Tear(true, false, false);

  ExpectRefused();
}

TEST_F(SyncedManifestTest, NotesGoWithTheirManifests) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Open().ok());

  std::vector<std::string> names;
  ASSERT_TRUE(file_system_->GetChildren(kFolder, {}, &names, nullptr).ok());
  EXPECT_EQ(std::count_if(names.begin(), names.end(),
                          [](const std::string& name) { return name.ends_with(".synced"); }),
            std::count_if(names.begin(), names.end(), [](const std::string& name) {
              return name.starts_with("MANIFEST-") && !name.ends_with(".synced");
            }));
}

TEST_F(ManifestPowerTest, NothingIsCutWhileAnotherHasTheFolder) {
  const auto other = Open().value();
  Tear(true, false, false);
  const std::string before = ReadAll(Manifest());

  EXPECT_EQ(Open().status().message(), "/data is in use by another wharfd");

  EXPECT_EQ(ReadAll(Manifest()), before);
}

}  // namespace
}  // namespace wharf

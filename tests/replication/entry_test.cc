#include "storage/apply/entry.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/apply/entry_assembler.h"
#include "storage/base/crc32c.h"
#include "storage/base/random.h"

namespace wharf {
namespace {

using ::testing::HasSubstr;

constexpr Timestamp kTime{std::chrono::hours(1)};

// With a checksum that is right for whatever stands before it.
std::string Sealed(std::string bytes) {
  const std::uint32_t crc = Crc32c(bytes);
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(crc >> shift));
  return bytes;
}

TEST(EntryTest, IsReadAsItWasWritten) {
  for (const EntryHead& head : {EntryHead{1, kTime, 0, 1, 1}, EntryHead{~0ULL, kNever, 0, 1, ~0U},
                                EntryHead{7, Timestamp(Duration(-1)), 4, 5, 1}}) {
    const std::string bytes = EncodeEntry(head, std::string("pay\0load", 8));

    const Result<DecodedEntry> read = DecodeEntry(bytes);

    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(read->head, head);
    EXPECT_EQ(read->payload, std::string("pay\0load", 8));
    EXPECT_EQ(bytes.size(), read->payload.size() + kEntryOverhead);
  }
}

TEST(EntryTest, ACheckIsNoBatch) {
  const EntryHead head{.term = 7, .time = kTime, .batches = 0, .is_check = true};
  EXPECT_EQ(DecodeEntry(EncodeEntry(head, "what?"))->head, head);

  EXPECT_FALSE(DecodeEntry(EncodeEntry({.term = 7, .is_check = true}, "what?")).ok());
  EXPECT_FALSE(
      DecodeEntry(EncodeEntry({.term = 7, .parts = 2, .batches = 0, .is_check = true}, "?")).ok());
}

TEST(EntryTest, DamageOfAnyByteIsSeen) {
  const std::string bytes = EncodeEntry({1, kTime, 0, 1, 1}, "payload");

  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      EXPECT_TRUE(DecodeEntry(damaged).status().is_damage()) << i << ' ' << bit;
    }
    EXPECT_TRUE(DecodeEntry(bytes.substr(0, i)).status().is_damage()) << i;
  }
  EXPECT_TRUE(DecodeEntry(bytes + "x").status().is_damage());
}

// Who can compute a checksum can still say what cannot be.
TEST(EntryTest, WhatNobodyWritesIsRefusedThoughItsChecksumIsRight) {
  const auto refusal = [](std::size_t at, char value) {
    std::string bytes = EncodeEntry({1, kTime, 0, 2, 1}, "payload");
    bytes.resize(bytes.size() - 4);
    bytes.at(at) = value;
    return DecodeEntry(Sealed(bytes)).status().message();
  };

  EXPECT_EQ(refusal(0, 1), "");
  EXPECT_THAT(refusal(0, 2), HasSubstr("has a format that only a later version reads"));
  EXPECT_THAT(refusal(1, 2), HasSubstr("has a flag that only a later version reads"));
  EXPECT_THAT(refusal(1, 1), HasSubstr("is a check, and something else as well"));
  EXPECT_THAT(refusal(21, 2), HasSubstr("is a part that its batch does not have"));
  EXPECT_THAT(refusal(25, 0), HasSubstr("is a part that its batch does not have"));
  EXPECT_THAT(refusal(29, 0), HasSubstr("another number of batches"));
  EXPECT_THAT(refusal(29, 2), HasSubstr("another number of batches"));
}

TEST(EntryTest, RandomBytesAreRefusedAndNothingElseHappens) {
  const std::uint64_t seed = 20261124;
  SeededRandom random(seed);
  SCOPED_TRACE(seed);

  for (int round = 0; round < 20000; ++round) {
    std::string bytes(random.Next() % 80, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.Next() % 3);
    static_cast<void>(DecodeEntry(Sealed(bytes)));
    EXPECT_FALSE(DecodeEntry(bytes + "x").ok());
  }
}

class EntryAssemblerTest : public ::testing::Test {
 protected:
  // An entry at the next index.
  LogEntry At(std::uint64_t term, const EntryHead& head, const std::string& payload) {
    return {++index_, term, EntryKind::kBatch, EncodeEntry(head, payload)};
  }
  LogEntry Part(std::uint64_t term, std::uint32_t part, std::uint32_t parts,
                const std::string& payload) {
    return At(term, {.term = term, .time = kTime, .part = part, .parts = parts}, payload);
  }
  // What the entry completes; "" if nothing.
  std::string Add(const LogEntry& entry) {
    const auto added = assembler_.Add(entry);
    if (!added.ok()) return added.status().message();
    return added->has_value() ? (*added)->payload : "";
  }
  EntryAssembler& assembler() { return assembler_; }

 private:
  std::uint64_t index_ = 0;
  EntryAssembler assembler_;
};

TEST_F(EntryAssemblerTest, PartsBecomeOneBatchWithTheLastOfThem) {
  EXPECT_EQ(Add(Part(1, 0, 3, "one ")), "");
  EXPECT_TRUE(assembler().is_open());
  EXPECT_EQ(Add(Part(1, 1, 3, "two ")), "");
  EXPECT_EQ(Add(Part(1, 2, 3, "three")), "one two three");

  EXPECT_FALSE(assembler().is_open());
}

TEST_F(EntryAssemblerTest, PartsWhoseEndNeverCameAreDroppedAtTheNextTerm) {
  EXPECT_EQ(Add(Part(1, 0, 2, "half")), "");

  EXPECT_EQ(Add({2, 2, EntryKind::kBatch, ""}), "");

  EXPECT_FALSE(assembler().is_open());
  EXPECT_EQ(Add(Part(2, 0, 1, "next")), "next");
}

// The same leader may give a batch up, and begin anew.
TEST_F(EntryAssemblerTest, PartsAreDroppedByWhatBeginsBehindThem) {
  EXPECT_EQ(Add(Part(1, 0, 2, "half")), "");
  EXPECT_EQ(Add(Part(1, 0, 2, "ot")), "");
  EXPECT_EQ(Add(Part(1, 1, 2, "her")), "other");

  EXPECT_EQ(Add(Part(1, 0, 2, "half")), "");
  EXPECT_EQ(Add(Part(1, 0, 1, "whole")), "whole");
  EXPECT_FALSE(assembler().is_open());
}

// A refused change of members is an empty entry of the same term, a granted one is none of ours.
TEST_F(EntryAssemblerTest, WhatIsNoBatchMayStandBetweenParts) {
  EXPECT_EQ(Add(Part(1, 0, 2, "ha")), "");
  EXPECT_EQ(Add({2, 1, EntryKind::kBatch, ""}), "");
  EXPECT_EQ(Add({3, 1, EntryKind::kMember, "change"}), "");

  EXPECT_EQ(Add(Part(1, 1, 2, "lf")), "half");
}

// R4: what was planned by one leader and committed by another takes no effect, on no node.
TEST_F(EntryAssemblerTest, AnEntryOfAnotherTermThanItNamesIsSkipped) {
  EXPECT_EQ(Add(At(2, {.term = 1, .time = kTime}, "planned in 1")), "");
  EXPECT_FALSE(assembler().is_open());
  EXPECT_EQ(Add(At(2, {.term = 1, .time = kTime, .part = 1, .parts = 2}, "planned in 1")), "");

  EXPECT_EQ(Add(At(2, {.term = 2, .time = kTime}, "planned in 2")), "planned in 2");
}

TEST_F(EntryAssemblerTest, APartOutOfItsOrderIsDamage) {
  EXPECT_THAT(Add(Part(1, 1, 2, "second")), HasSubstr("does not follow"));
  EXPECT_EQ(Add(Part(1, 0, 3, "first")), "");
  EXPECT_THAT(Add(Part(1, 2, 3, "third")), HasSubstr("does not follow"));
  EXPECT_EQ(Add(Part(1, 0, 3, "first")), "");
  EXPECT_THAT(Add(Part(1, 1, 2, "of another")), HasSubstr("does not follow"));
  EXPECT_THAT(Add({9, 1, EntryKind::kBatch, "no entry"}), HasSubstr("is too short"));
}

TEST_F(EntryAssemblerTest, ABatchThatIsTooLargeIsRefusedBeforeItIsInMemory) {
  assembler() = EntryAssembler(100);
  const std::string part(25, 'x');
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(Add(Part(1, i, 6, part)), "");

  EXPECT_THAT(Add(Part(1, 4, 6, "x")), HasSubstr("larger than any may be"));
}

}  // namespace
}  // namespace wharf

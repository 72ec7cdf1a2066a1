#include "broker/schema/access_record.h"

#include <vector>

#include <gtest/gtest.h>

#include "broker/core/operations/job.h"
#include "broker/schema/keys.h"
#include "broker/schema/records.h"

namespace wharf {
namespace {

access::AccessRule SampleAccessRule() {
  return {"Reader", access::Rights(access::Right::kSend) | access::Right::kListen, "one key",
          "another key", Timestamp(std::chrono::seconds(7))};
}

TEST(AccessRecordTest, ReadsWhatItWrote) {
  const auto read = DecodeAccessRule(EncodeAccessRule(SampleAccessRule()));

  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, SampleAccessRule());
}

// SEC-7. As before there were such: what no key was replaced of is read by all.
TEST(AccessRecordTest, TheKeysThatWereReplacedAreKeptInAnotherVersion) {
  const access::AccessRule rolled = SampleAccessRule().WithKeys("a third key", "a fourth key");
  ASSERT_EQ(rolled.replaced_keys().size(), 2U);

  const auto read = DecodeAccessRule(EncodeAccessRule(rolled));

  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, rolled);
  EXPECT_EQ(EncodeAccessRule(SampleAccessRule())[0], 1);
  EXPECT_EQ(EncodeAccessRule(rolled)[0], 2);
}

TEST(AccessRecordTest, AsManyAsMayBeAndNoMoreAreRead) {
  std::vector<access::KeyPrint> prints(access::kReplacedKeysMax);
  const auto full = SampleAccessRule().Remembering(prints);
  EXPECT_EQ(DecodeAccessRule(EncodeAccessRule(full))->replaced_keys(), prints);

  prints.emplace_back();
  EXPECT_FALSE(DecodeAccessRule(EncodeAccessRule(full.Remembering(prints))).ok());
}

TEST(AccessRecordTest, EveryCutIsNoticed) {
  for (const access::AccessRule& rule :
       {SampleAccessRule(), SampleAccessRule().WithKeys("a third key", "a fourth key")}) {
    const std::string record = EncodeAccessRule(rule);
    for (std::size_t length = 0; length < record.size(); ++length) {
      EXPECT_FALSE(DecodeAccessRule(record.substr(0, length)).ok()) << length;
    }
    EXPECT_FALSE(DecodeAccessRule(record + "x").ok());
  }
}

// Nobody is let in by a bit that was flipped.
TEST(AccessRecordTest, RightsThatCannotBeAreDamage) {
  const std::string record = EncodeAccessRule(SampleAccessRule());
  const std::size_t rights = 1 + 1 + SampleAccessRule().name().size();
  for (const char bits : {char(0), char(4), char(8), char(0xFF)}) {
    std::string damaged = record;
    damaged[rights] = bits;
    EXPECT_FALSE(DecodeAccessRule(damaged).ok()) << int(bits);
  }
}

TEST(AccessRecordTest, KeysAreThoseOfTheFoldedName) {
  EXPECT_EQ(AccessRuleKey(EntityId(7), "Reader"), AccessRuleKey(EntityId(7), "READER"));
  EXPECT_EQ(EntityOfAccessRuleKey(AccessRuleKey(EntityId(7), "reader")), EntityId(7));
  EXPECT_FALSE(EntityOfAccessRuleKey("short").has_value());
}

// What nobody owns is written as before there were owners.
TEST(AccessRecordTest, OwnersOfJobsAndTransactionsAreKept) {
  JobRecord job{.id = JobId(3), .order = {.path = "orders"}, .owner = "orders#worker"};
  EXPECT_EQ(DecodeJob(job.id, EncodeJob(job))->owner, job.owner);
  TransactionRecord transaction{.id = "t", .owner = "#root"};
  EXPECT_EQ(DecodeTransaction("t", EncodeTransaction(transaction))->owner, transaction.owner);

  job.owner.clear();
  transaction.owner.clear();
  EXPECT_EQ(EncodeJob(job)[0], 1);
  EXPECT_EQ(EncodeTransaction(transaction)[0], 1);
  EXPECT_EQ(DecodeJob(job.id, EncodeJob(job))->owner, "");
}

}  // namespace
}  // namespace wharf

#include "replication/core/raft_core.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "replication/core/core_message.h"
#include "replication/peers/peer_limits.h"
#include "tests/replication/shared_library.h"
#include "tests/replication/wrapped_log.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class NoSnapshots final : public SnapshotSource {
 public:
  std::optional<RaftSnapshot> Snapshot(std::uint64_t /*from*/) override { return std::nullopt; }
};

// A log that cannot be read.
class DamagedLog final : public WrappedLog {
 public:
  Result<std::vector<LogEntry>> Read(std::uint64_t /*first*/, std::uint64_t /*end*/,
                                     std::size_t /*bytes_max*/) const override {
    return Status::Damage("segment 7 has a hole");
  }
};

// One core with its log; what it wants to send is kept.
class CoreFixture {
 public:
  explicit CoreFixture(RaftId id, std::vector<RaftId> voters = {1, 2, 3})
      : CoreFixture({.id = id}, std::move(voters)) {}
  CoreFixture(const RaftCore::Options& options, std::vector<RaftId> voters)
      : core_(SharedLibrary(), options,
              {.members = SharedLibrary().EncodeMembers({.voters = std::move(voters)})}, log_,
              snapshots_) {}

  RaftCore& core() { return core_; }
  MemoryEntryLog& log() { return log_; }

  // Does what is to be done, until there is nothing.
  std::vector<RaftReady> Settle() {
    std::vector<RaftReady> all;
    while (core_.HasReady()) {
      all.push_back(core_.TakeReady());
      EXPECT_TRUE(log_.Append(all.back().entries, all.back().hard_state).ok());
      core_.Advance();
    }
    return all;
  }

  // Settles; what is to be sent to this node.
  std::vector<std::string> Outgoing(RaftId to) {
    std::vector<std::string> messages;
    for (RaftReady& ready : Settle()) {
      for (RaftMessage& message : ready.messages) {
        if (message.to == to) messages.push_back(std::move(message.bytes));
      }
    }
    return messages;
  }

 private:
  MemoryEntryLog log_;
  NoSnapshots snapshots_;
  RaftCore core_;
};

// Messages go to and fro until nobody has one.
void Exchange(RaftId one_id, CoreFixture& one, RaftId other_id, CoreFixture& other) {
  for (bool was_any = true; was_any;) {
    was_any = false;
    for (const std::string& message : one.Outgoing(other_id)) {
      was_any = true;
      EXPECT_TRUE(other.core().Step(one_id, message));
    }
    for (const std::string& message : other.Outgoing(one_id)) {
      was_any = true;
      EXPECT_TRUE(one.core().Step(other_id, message));
    }
  }
}

TEST(RaftCoreTest, ALoneVoterLeadsAndCommitsWhatItProposes) {
  CoreFixture one(1, {1});
  one.core().Campaign();
  one.Settle();
  ASSERT_EQ(one.core().status().role, RaftRole::kLeader);

  ASSERT_TRUE(one.core().Propose("hello"));
  const std::vector<RaftReady> readies = one.Settle();

  EXPECT_EQ(one.log().last_index(), 2U);
  EXPECT_EQ(one.log().Read(2, 3, 1)->front().data, "hello");
  EXPECT_EQ(readies.back().committed, 2U);
  EXPECT_TRUE(readies.front().must_sync);
}

TEST(RaftCoreTest, AProposalIsNotForwardedToWhoeverLeads) {
  CoreFixture leader(1, {1, 2});
  CoreFixture follower(2, {1, 2});
  leader.core().Campaign();
  Exchange(1, leader, 2, follower);
  ASSERT_EQ(follower.core().status().leader, 1U);

  EXPECT_FALSE(follower.core().Propose("planned elsewhere"));

  EXPECT_THAT(follower.Outgoing(1), IsEmpty());
}

TEST(RaftCoreTest, WhatCommitsComesWithTheLogOfBoth) {
  CoreFixture leader(1, {1, 2});
  CoreFixture follower(2, {1, 2});
  leader.core().Campaign();
  Exchange(1, leader, 2, follower);

  ASSERT_TRUE(leader.core().Propose(std::string(100, 'x')));
  Exchange(1, leader, 2, follower);

  EXPECT_EQ(leader.core().status().hard_state.commit, 2U);
  EXPECT_EQ(follower.core().status().hard_state.commit, 2U);
  EXPECT_EQ(follower.log().Read(2, 3, 1)->front().data, std::string(100, 'x'));
  EXPECT_EQ(leader.core().ProgressOf(2)->match, 2U);
  EXPECT_EQ(leader.core().ProgressOf(7), std::nullopt);
}

TEST(RaftCoreTest, AMessageThatIsNotFromItsSenderOrForUsIsRefused) {
  CoreFixture candidate(1);
  candidate.core().Campaign();
  const std::string vote = candidate.Outgoing(2).at(0);
  CoreFixture voter(2);

  EXPECT_FALSE(voter.core().Step(3, vote));
  EXPECT_FALSE(CoreFixture(3).core().Step(1, vote));
  EXPECT_FALSE(voter.core().Step(1, "no message"));
  EXPECT_FALSE(voter.core().Step(1, EncodeCoreMessage({"no message", {}})));
  EXPECT_FALSE(voter.core().Step(1, ""));
  EXPECT_FALSE(voter.core().HasReady());

  EXPECT_TRUE(voter.core().Step(1, vote));
}

// A raftpb.Message of type MsgProp from 2 to 1, of term 1.
TEST(RaftCoreTest, AProposalOfAnotherNodeIsRefused) {
  CoreFixture leader(1, {1});
  leader.core().Campaign();
  leader.Settle();
  const std::string words("\x08\x02\x10\x01\x18\x02\x20\x01\x3A\x03\x22\x01x", 13);

  EXPECT_FALSE(leader.core().Step(2, EncodeCoreMessage({words, {"x"}})));

  leader.Settle();
  EXPECT_EQ(leader.log().last_index(), 1U);
}

TEST(RaftCoreTest, EntriesTravelOtherwiseThanVotes) {
  CoreFixture leader(1, {1, 2});
  CoreFixture follower(2, {1, 2});
  leader.core().Campaign();
  std::vector<RaftReady> readies = leader.Settle();
  ASSERT_EQ(readies.size(), 1U);
  EXPECT_EQ(readies[0].messages.at(0).travels, MessageClass::kSmall);
  EXPECT_TRUE(follower.core().Step(1, readies[0].messages[0].bytes));
  Exchange(2, follower, 1, leader);

  ASSERT_TRUE(leader.core().Propose("entry"));
  readies = leader.Settle();

  EXPECT_EQ(readies.at(0).messages.at(0).travels, MessageClass::kAppend);
}

void Carry(RaftId from_id, CoreFixture& from, RaftId to_id, CoreFixture& to) {
  for (const std::string& message : from.Outgoing(to_id)) to.core().Step(from_id, message);
}

// Node 1 becomes leader, and proposes while it waits for the first answer of node 2: what it wants
// to send when that has come, all at once.
std::vector<std::string> AppendsOf(CoreFixture& leader, CoreFixture& follower,
                                   const std::vector<std::string>& proposals) {
  leader.core().Campaign();
  while (leader.core().status().role != RaftRole::kLeader) {
    Carry(1, leader, 2, follower);
    Carry(2, follower, 1, leader);
  }
  Carry(1, leader, 2, follower);
  for (const std::string& data : proposals) EXPECT_TRUE(leader.core().Propose(data));
  Carry(2, follower, 1, leader);
  return leader.Outgoing(2);
}

std::size_t PayloadBytes(const std::string& message) {
  const std::optional<CoreMessage> decoded = DecodeCoreMessage(message);
  std::size_t bytes = 0;
  for (const SharedBytes& payload : decoded->payloads) bytes += payload.size();
  return bytes;
}

TEST(RaftCoreTest, WhatIsTooMuchForOneMessageTravelsInSeveral) {
  CoreFixture leader({.id = 1, .message_bytes_max = 1000}, {1, 2});
  CoreFixture follower(2, {1, 2});
  std::vector<std::string> data;
  for (char which = 'a'; which <= 'f'; ++which) data.emplace_back(450, which);
  data.emplace_back(2000, 'g');

  const std::vector<std::string> messages = AppendsOf(leader, follower, data);

  std::vector<std::size_t> bytes;
  for (const std::string& message : messages) bytes.push_back(PayloadBytes(message));
  EXPECT_THAT(bytes, ElementsAre(900, 900, 900, 2000));
  for (const std::string& message : messages) EXPECT_TRUE(follower.core().Step(1, message));
  Exchange(2, follower, 1, leader);
  EXPECT_EQ(leader.core().status().hard_state.commit, 1 + data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    EXPECT_EQ(follower.log().Read(i + 2, i + 3, 1)->front().data, data[i]);
  }
}

// Else it would be read from the log, held twice, and thrown away.
TEST(RaftCoreTest, WhoLagsIsSentAtOnceWhatItsQueueTakes) {  // reliability 35
  CoreFixture leader(1, {1, 2});
  CoreFixture follower(2, {1, 2});
  leader.core().Campaign();
  while (leader.core().status().role != RaftRole::kLeader) {
    Carry(1, leader, 2, follower);
    Carry(2, follower, 1, leader);
  }
  Carry(1, leader, 2, follower);
  for (int i = 0; i < 150; ++i) {
    EXPECT_TRUE(leader.core().Propose(std::string(60'000, 'x')));
    leader.Settle();
  }

  Carry(2, follower, 1, leader);
  const std::vector<std::string> messages = leader.Outgoing(2);

  std::size_t bytes = 0;
  for (const std::string& message : messages) bytes += message.size();
  EXPECT_GT(bytes, std::size_t{2} << 20);
  EXPECT_LE(bytes, PeerLimits{}.bulk_queue_bytes);
}

TEST(RaftCoreTest, AMessageWithMoreOrFewerPayloadsThanEntriesIsRefused) {
  CoreFixture leader(1, {1, 2});
  CoreFixture follower(2, {1, 2});
  const std::string message = AppendsOf(leader, follower, {"one", "two"}).at(0);
  const SharedBytes shared(message);
  CoreMessage fewer = DecodeCoreMessage(shared).value();
  CoreMessage more = fewer;
  fewer.payloads.pop_back();
  more.payloads.emplace_back("three");

  EXPECT_FALSE(follower.core().Step(1, EncodeCoreMessage(fewer)));
  EXPECT_FALSE(follower.core().Step(1, EncodeCoreMessage(more)));
  EXPECT_FALSE(follower.core().HasReady());

  EXPECT_TRUE(follower.core().Step(1, message));
  follower.Settle();
  EXPECT_EQ(follower.log().Read(3, 4, 1)->front().data, "two");
}

TEST(RaftCoreTest, MembersAreReadAsTheyWereWritten) {
  const Members members{.voters = {1, 2, 1ULL << 60}, .learners = {9}};

  EXPECT_EQ(SharedLibrary().DecodeMembers(SharedLibrary().EncodeMembers(members)).value(), members);
  EXPECT_EQ(SharedLibrary().DecodeMembers(SharedLibrary().EncodeMembers({})).value(), Members());
  EXPECT_TRUE(SharedLibrary().DecodeMembers("\x08").status().is_damage());
  EXPECT_TRUE(SharedLibrary().DecodeMemberChange("\x10").status().is_damage());
  EXPECT_TRUE(SharedLibrary().DecodeSnapshot("\x08\x02").status().is_damage());
  const std::string no_snapshot = EncodeCoreMessage({"\x08\x02", {}});
  EXPECT_TRUE(SharedLibrary().DecodeSnapshot(no_snapshot).status().is_damage());
}

TEST(RaftCoreTest, AChangeOfMembersComesWithItsContextAndIsAppliedOnce) {
  CoreFixture one(1, {1});
  one.core().Campaign();
  one.Settle();

  ASSERT_TRUE(one.core().ProposeMember(
      {.kind = MemberChange::Kind::kAddLearner, .node = 2, .context = "mine"}));
  std::vector<LogEntry> changes;
  for (RaftReady& ready : one.Settle()) {
    for (LogEntry& change : ready.member_changes) changes.push_back(std::move(change));
  }

  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].index, 2U);
  const Result<MemberChange> change = SharedLibrary().DecodeMemberChange(changes[0].data);
  ASSERT_TRUE(change.ok());
  EXPECT_EQ(change->node, 2U);
  EXPECT_EQ(change->context, "mine");
  const Result<std::string> members = one.core().ApplyMember(changes[0]);
  EXPECT_EQ(SharedLibrary().DecodeMembers(members.value()).value(),
            (Members{.voters = {1}, .learners = {2}}));
}

TEST(RaftCoreTest, ALookIsReadableWhenAMajorityHasAnswered) {
  CoreFixture leader(1, {1, 2});
  CoreFixture follower(2, {1, 2});
  leader.core().Campaign();
  Exchange(1, leader, 2, follower);

  leader.core().ReadIndex("look 1");
  std::vector<RaftReady> asked = leader.Settle();
  for (const RaftReady& ready : asked) EXPECT_THAT(ready.readable, IsEmpty());
  for (const RaftReady& ready : asked) {
    for (const RaftMessage& message : ready.messages) follower.core().Step(1, message.bytes);
  }
  for (const std::string& answer : follower.Outgoing(1)) leader.core().Step(2, answer);

  const std::vector<RaftReady> answered = leader.Settle();
  ASSERT_EQ(answered.size(), 1U);
  ASSERT_EQ(answered[0].readable.size(), 1U);
  EXPECT_EQ(answered[0].readable[0].context, "look 1");
  EXPECT_EQ(answered[0].readable[0].index, 1U);
}

// How many ticks pass until each of some cores asks for votes.
std::vector<int> ElectionTimeouts(std::int64_t seed) {
  SharedLibrary().Seed(seed);
  std::vector<int> timeouts;
  for (RaftId id = 1; id <= 3; ++id) {
    for (int again = 0; again < 5; ++again) {
      CoreFixture node(id);
      int ticks = 0;
      for (; node.Outgoing(id % 3 + 1).empty(); ++ticks) node.core().Tick();
      timeouts.push_back(ticks);
    }
  }
  return timeouts;
}

TEST(RaftCoreTest, ElectionsAreDrawnFromTheSeed) {
  const std::vector<int> timeouts = ElectionTimeouts(1);

  EXPECT_EQ(ElectionTimeouts(1), timeouts);
  EXPECT_NE(ElectionTimeouts(2), timeouts);
  EXPECT_GE(*std::min_element(timeouts.begin(), timeouts.end()), 10);
  EXPECT_LT(*std::max_element(timeouts.begin(), timeouts.end()), 20);
}

TEST(RaftCoreTest, ALibraryThatIsNotThereIsRefusedWithASentence) {
  EXPECT_THAT(RaftLibrary::Open("/nowhere/libwharfraft.so").status().message(),
              HasSubstr("the raft core cannot be opened: /nowhere/libwharfraft.so"));
  EXPECT_THAT(RaftLibrary::Open("libm.so.6").status().message(),
              HasSubstr("libm.so.6 is no raft core of ours"));
}

// A node with one committed entry, which it cannot read.
void ReadDamagedLog() {
  spdlog::set_default_logger(spdlog::stderr_logger_st("dying"));
  DamagedLog log;
  NoSnapshots none;
  const LogEntry entry{1, 1, EntryKind::kBatch, "entry"};
  static_cast<void>(log.Append({&entry, 1}, HardState{1, 0, 1}));
  RaftCore core(
      SharedLibrary(), {.id = 1},
      {.members = SharedLibrary().EncodeMembers({.voters = {1}}), .hard_state = log.hard_state()},
      log, none);
  core.TakeReady();
}

TEST(RaftCoreDeathTest, ALogThatCannotBeReadEndsTheProcessWithItsSentence) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // Go has threads.

  EXPECT_DEATH(ReadDamagedLog(), "the consensus cannot go on: entries from 1 to 1 of the log");
  EXPECT_DEATH(ReadDamagedLog(), "segment 7 has a hole");
}

}  // namespace
}  // namespace wharf

// A verifier by itself: what it tells whom, and when it gives up its own state. Other members are
// what the test says that they answered.

#include "replication/verify/state_verifier.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replication/verify/state_verdict.h"
#include "storage/memory/memory_store.h"
#include "tests/quiet_log.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr RaftId kSelf = 1;
constexpr RaftId kOther = 2;
constexpr RaftId kThird = 3;
constexpr Duration kASecond = std::chrono::seconds(1);

class StateVerifierTest : public ::testing::Test {
 protected:
  StateVerifierTest() {
    StateVerifier::Options options;
    options.first_after = 60 * kASecond;
    options.every = 600 * kASecond;
    options.comparison.attempts = 1;
    verifier_ = std::make_unique<StateVerifier>(
        options, StateVerifier::World{
                     .store = store_,
                     .tables = store_.tables(),
                     .self = kSelf,
                     .leader = [this] { return leader_; },
                     .send =
                         [this](RaftId to, NodeMessageKind kind, const std::string& content) {
                           if (kind == NodeMessageKind::kStateVerdict) {
                             told_[to] = StateVerdict::Decode(content)->kind;
                           }
                         },
                     .step_soon = [] {},
                     .hand_over = [this] { ++hand_overs_; },
                     .give_up = [this](const std::string&) { ++given_up_; },
                     .random = random_});
  }

  void Look(bool is_leading = true) { verifier_->Look(TurnOf(is_leading), members_); }
  StateVerifier::Turn TurnOf(bool is_leading) {
    return {.is_leading = is_leading, .now = now_, .propose = [this](const std::string& check) {
              asked_ = StateCheck::Decode(check);
              return true;
            }};
  }
  // Of the check that was asked last.
  void Answer(RaftId from, RangeDigest digest) {
    const StateCheckAnswer answer{.id = asked_->id, .index = 7, .digest = std::move(digest)};
    verifier_->OnMessage(from, NodeMessageKind::kStateCheckAnswer, answer.Encode());
  }
  void Hear(StateVerdict::Kind kind, const std::string& sentence) {
    verifier_->OnMessage(leader_, NodeMessageKind::kStateVerdict,
                         StateVerdict{kind, sentence}.Encode());
  }

  QuietLog quiet_;
  MemoryStore store_{TableSet(2)};
  SystemRandom random_;
  RaftId leader_ = kSelf;
  Duration now_{};
  std::optional<StateCheck> asked_;
  std::map<RaftId, StateVerdict::Kind> told_;
  int hand_overs_ = 0;
  int given_up_ = 0;
  StateVerifier::Members members_ = [] {
    return std::vector<StateComparison::Member>{
        {.node = kSelf, .name = "a"}, {.node = kOther, .name = "b"}, {.node = kThird, .name = "c"}};
  };
  std::unique_ptr<StateVerifier> verifier_;
};

TEST_F(StateVerifierTest, ALeaderComparesAWhileAfterItBeganAndThenNowAndAgain) {
  Look();
  now_ = 59 * kASecond;
  Look();
  EXPECT_FALSE(asked_.has_value());

  now_ = 60 * kASecond;
  Look();
  ASSERT_TRUE(asked_.has_value());
  for (const RaftId node : {kSelf, kOther, kThird}) Answer(node, {});
  asked_.reset();
  now_ = 659 * kASecond;
  Look();
  EXPECT_FALSE(asked_.has_value());

  now_ = 660 * kASecond;
  Look();
  EXPECT_TRUE(asked_.has_value());
}

// What it has nobody knows.
TEST_F(StateVerifierTest, WhoWasNotComparedIsNotToldThatItIsEqual) {
  verifier_->Begin();
  Look();
  Answer(kSelf, {});
  Answer(kOther, {});
  now_ += 6 * kASecond;

  Look();

  EXPECT_THAT(told_, ElementsAre(Pair(kOther, StateVerdict::Kind::kEqual)));
}

TEST_F(StateVerifierTest, AnAnswerThatNamesNoTableIsNone) {
  verifier_->Begin();
  Look();
  Answer(kSelf, {});

  Answer(kOther, {.hash = 1, .rows = 1, .first = RowPlace{9, "k"}});
  Answer(kThird, {.hash = 1, .rows = 1, .end = RowPlace{200, "k"}});

  EXPECT_TRUE(verifier_->progress()->is_under_way);
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(StateVerifierTest, AFollowerThatDiffersGivesItsStateUpOnce) {
  leader_ = kOther;

  Hear(StateVerdict::Kind::kDiffers, "row 1 differs");
  Look(/*is_leading=*/false);
  Look(/*is_leading=*/false);

  EXPECT_EQ(given_up_, 1);
  EXPECT_THAT(verifier_->alarm(), HasSubstr("row 1"));
}

// It goes on at this node, or nobody knows yet who is next.
TEST_F(StateVerifierTest, ALeadershipThatOnlyPausesIsNoReasonToGiveAStateUp) {
  Hear(StateVerdict::Kind::kDiffers, "row 1 differs");

  Look(/*is_leading=*/false);
  leader_ = 0;
  Look(/*is_leading=*/false);
  EXPECT_EQ(given_up_, 0);

  leader_ = kOther;
  Look(/*is_leading=*/false);
  EXPECT_EQ(given_up_, 1);
}

TEST_F(StateVerifierTest, ALeaderThatDiffersHandsOverFirst) {
  Hear(StateVerdict::Kind::kDiffers, "row 1 differs");

  Look();
  EXPECT_EQ(hand_overs_, 0);
  now_ += kASecond;
  Look();
  Look();

  EXPECT_EQ(hand_overs_, 1);
  EXPECT_EQ(given_up_, 0);
}

TEST_F(StateVerifierTest, WhoIsFoundEqualAfterAllKeepsItsState) {
  Hear(StateVerdict::Kind::kDiffers, "row 1 differs");
  Hear(StateVerdict::Kind::kEqual, {});

  leader_ = kOther;
  Look(/*is_leading=*/false);

  EXPECT_EQ(given_up_, 0);
  EXPECT_EQ(verifier_->alarm(), "");
}

TEST_F(StateVerifierTest, AVerdictOfWhoDoesNotLeadIsNone) {
  leader_ = kOther;
  verifier_->OnMessage(kThird, NodeMessageKind::kStateVerdict,
                       StateVerdict{StateVerdict::Kind::kDiffers, "row 1 differs"}.Encode());

  Look(/*is_leading=*/false);

  EXPECT_EQ(given_up_, 0);
}

}  // namespace
}  // namespace wharf

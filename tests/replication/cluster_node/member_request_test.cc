#include "replication/cluster_node/member_request.h"

#include <optional>

#include <gtest/gtest.h>

namespace wharf {
namespace {

class MemberRequestTest : public ::testing::Test {
 protected:
  bool Begin(RaftId node) {
    MemberRequest::Done done = [this](const Status& status) { ended_ = status; };
    return request_.Begin(node, done);
  }

  MemberRequest request_;
  std::optional<Status> ended_;
};

TEST_F(MemberRequestTest, OneIsAskedAtATime) {
  ASSERT_TRUE(Begin(1));
  EXPECT_FALSE(Begin(2));
  EXPECT_TRUE(request_.IsFor(1));
  EXPECT_FALSE(request_.IsFor(2));

  request_.OnProposed(1);
  request_.OnApplied(1);

  EXPECT_TRUE(ended_.value().ok());
  EXPECT_FALSE(request_.IsFor(1));
  EXPECT_TRUE(Begin(2));
}

// A node tells its address while its removal waits to be proposed.
TEST_F(MemberRequestTest, AnotherChangeOfTheMemberIsNotTheOneThatIsWaitedFor) {
  ASSERT_TRUE(Begin(1));

  request_.OnApplied(1);
  EXPECT_EQ(ended_, std::nullopt);
  request_.OnProposed(2);
  request_.OnApplied(1);
  EXPECT_EQ(ended_, std::nullopt);

  request_.OnProposed(1);
  request_.OnApplied(2);
  EXPECT_EQ(ended_, std::nullopt);
  request_.OnApplied(1);
  EXPECT_TRUE(ended_.value().ok());
}

TEST_F(MemberRequestTest, WhatWasNotProposedIsNotDone) {
  ASSERT_TRUE(Begin(1));

  request_.Fail(2, NotLeading());
  EXPECT_EQ(ended_, std::nullopt);
  request_.Fail(1, NotLeading());

  EXPECT_EQ(ended_.value().outcome(), Outcome::kNotDone);
  request_.OnLeadingEnded();
  EXPECT_EQ(ended_.value().outcome(), Outcome::kNotDone);
}

TEST_F(MemberRequestTest, WhatWasProposedIsUnknownWhereLeadershipEnds) {
  ASSERT_TRUE(Begin(1));
  request_.OnProposed(1);

  request_.OnLeadingEnded();

  EXPECT_EQ(ended_.value().outcome(), Outcome::kUnknown);
}

}  // namespace
}  // namespace wharf

// No id is given twice, in whatever bucket, restart or not.

#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "broker/core/entities/bucket.h"
#include "tests/engine/receiving/receiver_fixture.h"

namespace wharf {
namespace {

class IdsTest : public ReceiverFixture {
 protected:
  EntityId Create(const std::string& name) {
    EXPECT_TRUE(engine_.CreateQueue({.name = name}).ok());
    return engine_.GetQueue(name)->record.id;
  }
  Result<JobRecord> Job(const std::string& queue) {
    return engine_.BeginJob({.verb = JobVerb::kDeleteMessages, .path = queue});
  }
};

TEST_F(IdsTest, NoNumberOfAnEntityIsUsedAgain) {
  std::set<std::uint64_t> numbers;
  std::uint64_t last = engine_.GetQueue("orders")->record.id.number();
  for (int round = 0; round < 3; ++round) {
    for (const char* name : {"bills", "news", "tenant/bills"}) {
      const EntityId id = Create(name);
      EXPECT_EQ(id.bucket(), BucketOfPath(name));
      EXPECT_GT(id.number(), last);
      last = id.number();
    }
    // What was given last goes without a trace but its mark.
    for (const char* name : {"bills", "news", "tenant/bills"}) {
      ASSERT_TRUE(engine_.DeleteQueue(name).ok());
    }
    engine_.Run();
    engine_.Restart();
  }
}

TEST_F(IdsTest, ASubscriptionIsInTheBucketOfItsTopic) {
  const std::string path = "news/Subscriptions/all";
  ASSERT_TRUE(engine_.Create(EntityKind::kTopic, {.name = "news"}).ok());
  ASSERT_TRUE(engine_.Create(EntityKind::kSubscription, {.name = path}).ok());
  EXPECT_EQ(engine_.Get(EntityKind::kSubscription, path)->record.id.bucket(), BucketOfPath("news"));
}

// Jobs on queues of several buckets, the last of which nobody remembers.
TEST_F(IdsTest, NoIdOfAJobIsUsedAgain) {
  Create("bills");
  ASSERT_NE(BucketOfPath("bills"), BucketOfPath("orders"));
  std::uint64_t next = 1;
  for (int round = 0; round < 3; ++round) {
    for (const char* name : {"orders", "bills", "orders"}) {
      const Result<JobRecord> job = Job(name);
      ASSERT_TRUE(job.ok());
      EXPECT_EQ(job->id, JobId(next++));
    }
    engine_.Run();
    engine_.Advance(std::chrono::hours(25));
    EXPECT_FALSE(engine_.GetJob(JobId(next - 1)).ok());
    engine_.Restart();
  }
}

}  // namespace
}  // namespace wharf

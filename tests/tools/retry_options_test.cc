#include "tools/wharf/entities/retry_options.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace wharf::tool {
namespace {

class RetryOptionsTest : public testing::Test {
 protected:
  RetryOptionsTest() { AddRetryOptions(app_, given_); }

  void Parse(std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());
    app_.parse(arguments);
  }

  CLI::App app_;
  GivenRetryPolicy given_;
};

TEST_F(RetryOptionsTest, EveryFieldHasAnOption) {
  Parse({"--retry", "exponential", "--retry-base", "2s", "--retry-cap", "5m", "--retry-jitter",
         "0.25"});
  v1::QueueProperties queue;
  Apply(given_, queue);

  EXPECT_EQ(queue.retry_policy().backoff(), v1::RetryPolicy::BACKOFF_EXPONENTIAL);
  EXPECT_EQ(queue.retry_policy().base().seconds(), 2);
  EXPECT_EQ(queue.retry_policy().cap().seconds(), 300);
  EXPECT_EQ(queue.retry_policy().jitter(), 0.25);
  EXPECT_EQ(v1::RetryPolicy::descriptor()->field_count(), 4);
}

TEST_F(RetryOptionsTest, OnlyWhatIsGivenChanges) {
  v1::QueueProperties queue;
  queue.mutable_retry_policy()->set_backoff(v1::RetryPolicy::BACKOFF_LINEAR);
  queue.mutable_retry_policy()->set_jitter(0.5);

  Parse({"--retry-jitter", "0"});
  Apply(given_, queue);

  EXPECT_EQ(queue.retry_policy().backoff(), v1::RetryPolicy::BACKOFF_LINEAR);
  EXPECT_EQ(queue.retry_policy().jitter(), 0);
}

TEST_F(RetryOptionsTest, NothingGivenIsNoPolicy) {
  Parse({});
  v1::QueueProperties queue;
  Apply(given_, queue);

  EXPECT_FALSE(queue.has_retry_policy());
}

TEST_F(RetryOptionsTest, NoneTakesItAway) {
  v1::QueueProperties queue;
  queue.mutable_retry_policy();

  Parse({"--retry", "none"});
  Apply(given_, queue);

  EXPECT_FALSE(queue.has_retry_policy());
}

TEST_F(RetryOptionsTest, BadValuesAreBadUsage) {
  EXPECT_THROW(Parse({"--retry", "sometimes"}), CLI::ValidationError);
  EXPECT_THROW(Parse({"--retry-base", "soon"}), CLI::ValidationError);
  EXPECT_THROW(Parse({"--retry-jitter", "much"}), CLI::ValidationError);
}

}  // namespace
}  // namespace wharf::tool

#include "broker/doors/http/console/sessions.h"

#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace wharf::console {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class SessionsTest : public ::testing::Test {
 protected:
  static access::PermitPtr PermitOf(const std::string& rule) {
    return std::make_shared<const access::Permit>(access::Permit{.rule = rule});
  }
  std::string Begin(const std::string& rule) {
    const Result<std::string> id = sessions_.Begin(PermitOf(rule));
    EXPECT_TRUE(id.ok()) << id.status().ToString();
    return id.ok() ? *id : "";
  }

  Duration now_{};
  Sessions sessions_{
      {.sessions_max = 4, .sessions_of_one_max = 2}, access::SystemKeys(), [this] { return now_; }};
};

TEST_F(SessionsTest, AnIdLeadsToWhatWasProven) {
  const std::string id = Begin("root");

  ASSERT_NE(sessions_.Find(id), nullptr);
  EXPECT_EQ(sessions_.Find(id)->rule, "root");
  EXPECT_EQ(sessions_.Find(id + "x"), nullptr);
  EXPECT_EQ(sessions_.Find(""), nullptr);
}

TEST_F(SessionsTest, AnIdHas256BitsAndIsNeverTheSame) {
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) ids.insert(Begin("root"));
  EXPECT_EQ(ids.size(), 100U);
  EXPECT_EQ(ids.begin()->size(), 43U);
  EXPECT_EQ(ids.begin()->find_first_not_of(
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
            std::string::npos);
}

TEST_F(SessionsTest, ItEndsWhenItRestsFor15Minutes) {
  const std::string id = Begin("root");

  now_ += minutes(15) - seconds(1);
  EXPECT_NE(sessions_.Find(id), nullptr) << "and is used by that";
  now_ += minutes(15) - seconds(1);
  EXPECT_NE(sessions_.Find(id), nullptr);
  now_ += minutes(15);
  EXPECT_EQ(sessions_.Find(id), nullptr);
  EXPECT_EQ(sessions_.size(), 0U);
}

TEST_F(SessionsTest, OneOfARuleTooManyEndsTheOneThatRestsLongest) {
  const std::string first = Begin("root");
  now_ += seconds(1);
  const std::string second = Begin("root");
  now_ += seconds(1);
  EXPECT_NE(sessions_.Find(first), nullptr);

  const std::string third = Begin("root");

  EXPECT_EQ(sessions_.Find(second), nullptr);
  EXPECT_NE(sessions_.Find(first), nullptr);
  EXPECT_NE(sessions_.Find(third), nullptr);
}

TEST_F(SessionsTest, WhereAllPlacesAreTakenTheNextHearsSo) {
  for (const char* rule : {"a", "b", "c", "d"}) Begin(rule);

  EXPECT_EQ(sessions_.Begin(PermitOf("e")).status().code(), ErrorCode::kServiceBusy);
  now_ += minutes(15);
  EXPECT_TRUE(sessions_.Begin(PermitOf("e")).ok()) << "the others rest too long";
}

TEST_F(SessionsTest, WhoHasMostMakesAPlaceForOthers) {
  const std::string first = Begin("a");
  now_ += seconds(1);
  const std::string second = Begin("a");
  const std::string other = Begin("b");
  Begin("c");

  EXPECT_TRUE(sessions_.Begin(PermitOf("d")).ok());
  EXPECT_EQ(sessions_.Find(first), nullptr);
  EXPECT_NE(sessions_.Find(second), nullptr);
  EXPECT_NE(sessions_.Find(other), nullptr);
}

TEST_F(SessionsTest, ASweepEndsThoseWhosePermitsHoldNoMore) {
  const std::string good = Begin("good");
  const std::string bad = Begin("bad");

  sessions_.Sweep([](const access::PermitPtr& permit) { return permit->rule == "good"; });

  EXPECT_EQ(sessions_.Find(bad), nullptr);
  EXPECT_NE(sessions_.Find(good), nullptr);
  now_ += minutes(15);
  sessions_.Sweep([](const access::PermitPtr&) { return true; });
  EXPECT_EQ(sessions_.size(), 0U);
}

TEST_F(SessionsTest, OneEndsOrAllDo) {
  const std::string one = Begin("a");
  const std::string other = Begin("b");

  sessions_.End(one);
  EXPECT_EQ(sessions_.Find(one), nullptr);
  EXPECT_NE(sessions_.Find(other), nullptr);
  sessions_.EndAll();
  EXPECT_EQ(sessions_.Find(other), nullptr);
}

}  // namespace
}  // namespace wharf::console

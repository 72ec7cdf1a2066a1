#include "broker/doors/http/console/sign_in_pace.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wharf::console {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class SignInPaceTest : public ::testing::Test {
 protected:
  void Fail(const std::string& peer, int times = 1) {
    for (int i = 0; i < times; ++i) pace_.NoteFailure(peer, "reader");
  }

  Duration now_ = seconds(1'000'000);
  SignInPace pace_{[this] { return now_; }};
};

TEST_F(SignInPaceTest, AFewFailuresAreFreeAndThenEachDoublesTheWait) {
  Fail("10.0.0.1:5000", 3);
  EXPECT_EQ(pace_.WaitOf("10.0.0.1:5001"), Duration(0));
  Fail("10.0.0.1:5001");
  EXPECT_EQ(pace_.WaitOf("10.0.0.1:5002"), seconds(1));
  Fail("10.0.0.1:5001");
  EXPECT_EQ(pace_.WaitOf("10.0.0.1:5002"), seconds(2));
  Fail("10.0.0.1:5001", 100);
  EXPECT_EQ(pace_.WaitOf("10.0.0.1:5002"), seconds(60));
  EXPECT_EQ(pace_.WaitOf("10.0.0.2:5002"), Duration(0)) << "another address";

  now_ += seconds(60);
  EXPECT_EQ(pace_.WaitOf("10.0.0.1:5002"), Duration(0));
}

TEST_F(SignInPaceTest, SuccessOrTimeForgives) {
  Fail("10.0.0.1:1", 10);
  pace_.NoteSuccess("10.0.0.1:2", "reader");
  EXPECT_EQ(pace_.WaitOf("10.0.0.1:1"), Duration(0));

  Fail("10.0.0.1:1", 10);
  now_ += minutes(15);
  Fail("10.0.0.1:1");
  EXPECT_EQ(pace_.WaitOf("10.0.0.1:1"), Duration(0)) << "the first of new ones";
}

TEST_F(SignInPaceTest, WhoHasOneKeyIsNotForgivenThatItGuessedAtAnother) {
  Fail("10.0.0.1:1", 4);
  pace_.NoteSuccess("10.0.0.1:2", "writer");
  EXPECT_GT(pace_.WaitOf("10.0.0.1:1"), Duration(0));

  pace_.NoteFailure("10.0.0.1:1", "writer");
  pace_.NoteSuccess("10.0.0.1:2", "reader");
  pace_.NoteSuccess("10.0.0.1:2", "writer");
  EXPECT_GT(pace_.WaitOf("10.0.0.1:1"), Duration(0)) << "two rules failed there";
}

TEST_F(SignInPaceTest, ANetworkOfIpv6IsOneAddress) {
  Fail("[2001:db8::1]:5000", 4);
  EXPECT_GT(pace_.WaitOf("[2001:db8::ffff:2]:80"), Duration(0));
  EXPECT_EQ(pace_.WaitOf("[2001:db8:0:1::1]:80"), Duration(0));
  Fail("[::ffff:10.0.0.1]:80", 4);
  EXPECT_EQ(pace_.WaitOf("[::ffff:10.0.0.2]:80"), Duration(0));
  EXPECT_GT(pace_.WaitOf("[::ffff:10.0.0.1]:81"), Duration(0));
}

TEST_F(SignInPaceTest, TheTableIsBoundedAndForgetsWhoFailedLongestAgo) {
  Fail("10.1.1.1:1", 4);
  now_ += seconds(1);
  for (std::size_t i = 0; i < SignInPace::kAddressesMax; ++i) Fail(fmt::format("host-{}:1", i));

  EXPECT_EQ(pace_.size(), SignInPace::kAddressesMax);
  EXPECT_EQ(pace_.WaitOf("10.1.1.1:1"), Duration(0));
}

}  // namespace
}  // namespace wharf::console

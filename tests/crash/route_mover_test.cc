// What the mover makes of an answer to a commit that follows a rollback.

#include "tools/crash/routes/route_mover.h"

#include <gtest/gtest.h>

namespace wharf::crash {
namespace {

using std::chrono::seconds;

Status Refused(ErrorCode code) { return {code, "the test wants it so"}; }

TEST(RouteMoverTest, ACommitThatIsRefusedWithinTheLockTimeShowsLostLocks) {  // TXN-12
  EXPECT_TRUE(ShowsLostLocks(Refused(ErrorCode::kMessageLockLost), seconds(4)));
  EXPECT_TRUE(ShowsLostLocks(Refused(ErrorCode::kInvalidOperation), seconds(4)));
  EXPECT_TRUE(ShowsLostLocks(Refused(ErrorCode::kTransactionAborted), seconds(4)));
}

TEST(RouteMoverTest, LocksMayEndInTheirTime) {
  EXPECT_FALSE(ShowsLostLocks(Refused(ErrorCode::kMessageLockLost), seconds(5)));
}

TEST(RouteMoverTest, OtherAnswersSayNothingOfLocks) {
  EXPECT_FALSE(ShowsLostLocks({}, seconds(1)));
  EXPECT_FALSE(ShowsLostLocks(Refused(ErrorCode::kServiceBusy), seconds(1)));
  EXPECT_FALSE(ShowsLostLocks(Refused(ErrorCode::kServiceCommunicationProblem), seconds(1)));
  EXPECT_FALSE(
      ShowsLostLocks({ErrorCode::kServiceTimeout, "no answer", Outcome::kUnknown}, seconds(1)));
}

}  // namespace
}  // namespace wharf::crash

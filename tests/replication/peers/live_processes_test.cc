#include "replication/peers/admission/live_processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using testing::HasSubstr;

class LiveProcessesTest : public ::testing::Test {
 protected:
  auto Enter(std::uint64_t node, std::uint64_t incarnation, const std::string& where = "here") {
    return live_.Enter(NodeId(node), "n" + std::to_string(node), Incarnation(incarnation), where);
  }

  LiveProcesses live_;
};

TEST_F(LiveProcessesTest, AProcessMayHaveManyStreams) {
  const auto one = Enter(1, 7);
  const auto two = Enter(1, 7);

  EXPECT_TRUE(one.ok());
  EXPECT_TRUE(two.ok());
  EXPECT_TRUE(Enter(2, 8).ok());
}

TEST_F(LiveProcessesTest, ASecondProcessOfANodeIsRefusedByTheNameOfTheFirst) {
  const auto one = Enter(1, 7, "192.0.2.1:5");

  const auto other = Enter(1, 8, "192.0.2.2:6");

  EXPECT_EQ(other.status().code(), ErrorCode::kForbidden);
  EXPECT_THAT(other.status().message(), HasSubstr("node n1 (id 1) is there twice"));
  EXPECT_THAT(other.status().message(), HasSubstr("192.0.2.1:5"));
  EXPECT_THAT(other.status().message(), HasSubstr("192.0.2.2:6"));
}

TEST_F(LiveProcessesTest, WhenTheLastStreamIsGoneAnotherProcessMayCome) {
  auto one = Enter(1, 7);
  auto two = Enter(1, 7);

  one = Status(ErrorCode::kGeneralError, "gone");
  EXPECT_FALSE(Enter(1, 8).ok());
  two = Status(ErrorCode::kGeneralError, "gone");
  EXPECT_TRUE(Enter(1, 8).ok());
}

}  // namespace
}  // namespace wharf

// Which bounds of disk and memory are near, as the doors tell it.

#include "broker/requests/space_alarms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kMegabyte = 1 << 20;

TEST(SpaceAlarmsTest, ThereIsNoneWhenAllIsWell) {
  EXPECT_THAT(SpaceAlarmsOf(BrokerStatistics()), IsEmpty());
}

TEST(SpaceAlarmsTest, TheDiskHasOneWithItsNumbers) {
  BrokerStatistics statistics;
  statistics.disk = {DiskState::kNearlyFull, 300 * kMegabyte, 200 * kMegabyte};
  ASSERT_EQ(SpaceAlarmsOf(statistics).size(), 1U);
  EXPECT_EQ(SpaceAlarmsOf(statistics)[0].name, "disk_nearly_full");
  EXPECT_THAT(SpaceAlarmsOf(statistics)[0].text, HasSubstr("300 MB are left"));

  statistics.disk.state = DiskState::kFull;
  ASSERT_EQ(SpaceAlarmsOf(statistics).size(), 1U);
  EXPECT_EQ(SpaceAlarmsOf(statistics)[0].name, "disk_full");
}

TEST(SpaceAlarmsTest, SoHaveRequestsThatWait) {
  BrokerStatistics statistics;
  statistics.memory = {.request_bytes = 110 * kMegabyte,
                       .request_bytes_max = 128 * kMegabyte,
                       .requests_are_near = true};

  ASSERT_EQ(SpaceAlarmsOf(statistics).size(), 1U);
  EXPECT_EQ(SpaceAlarmsOf(statistics)[0].name, "requests_nearly_full");
  EXPECT_THAT(SpaceAlarmsOf(statistics)[0].text, HasSubstr("110 of 128 MB"));
}

TEST(SpaceAlarmsTest, SoHasTheNamespace) {
  BrokerStatistics statistics;
  statistics.name_space = {95 * kMegabyte, 100 * kMegabyte, /*is_near=*/true};

  ASSERT_EQ(SpaceAlarmsOf(statistics).size(), 1U);
  EXPECT_EQ(SpaceAlarmsOf(statistics)[0].name, "namespace_nearly_full");
  EXPECT_THAT(SpaceAlarmsOf(statistics)[0].text, HasSubstr("95 of 100 MB"));
}

}  // namespace
}  // namespace wharf

#include "broker/core/order/partition.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace wharf {
namespace {

// Never to be changed: messages that wait stand in the partition that their key had.
TEST(PartitionTest, AKeyIsInTheSamePartitionForEver) {  // PAR-1
  const std::map<std::string, int> known = {
      {"", 15}, {"a", 0}, {"b", 4}, {"customer-1", 11}, {"customer-2", 0}, {"\xC3\xA4", 11}};
  for (const auto& [key, partition] : known) EXPECT_EQ(PartitionOfKey(key), partition) << key;
}

TEST(PartitionTest, KeysThatDifferLittleSpreadOverAllPartitions) {  // PAR-1
  for (const std::string prefix : {"", "customer-", "the same long beginning of all of them "}) {
    std::map<int, int> keys;
    for (int i = 0; i < 1600; ++i) ++keys[PartitionOfKey(prefix + std::to_string(i))];

    EXPECT_EQ(keys.size(), kPartitions) << prefix;
    for (const auto& [partition, count] : keys) {
      EXPECT_GT(count, 50) << prefix << partition;
      EXPECT_LT(count, 150) << prefix << partition;
    }
  }
}

TEST(PartitionTest, ANumberTellsItsPartition) {  // PAR-3, SEQ-3, SEQ-5
  EXPECT_EQ(FirstNumberOf(0), SequenceNumber(1));
  EXPECT_EQ(FirstNumberOf(3), SequenceNumber((std::uint64_t{3} << 48) + 1));
  EXPECT_EQ(PartitionOf(FirstNumberOf(15)), 15);
  EXPECT_EQ(PartitionOf(SequenceNumber((std::uint64_t{1} << 48) - 1)), 0);
}

TEST(PartitionTest, CountedFirstNoPartitionGoesBeforeTheOthers) {  // PAR-4
  const SequenceNumber first_of_15 = FirstNumberOf(15);
  const SequenceNumber second_of_0 = FirstNumberOf(0).Next();

  EXPECT_LT(CountFirst(FirstNumberOf(0)), CountFirst(first_of_15));
  EXPECT_LT(CountFirst(first_of_15), CountFirst(second_of_0));
  for (const SequenceNumber number : {SequenceNumber(), first_of_15, second_of_0}) {
    EXPECT_EQ(NumberOfCountFirst(CountFirst(number)), number);
  }
}

}  // namespace
}  // namespace wharf

#include "broker/core/messages/property_value.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

TEST(PropertyValueTest, MergingSetsAndOverwrites) {  // STL-7
  PropertyMap properties = {{"color", std::string("red")}, {"size", std::int32_t{1}}};

  Merge(properties, {{"size", std::string("big")}, {"note", true}});

  const PropertyMap expected = {
      {"color", std::string("red")}, {"size", std::string("big")}, {"note", true}};
  EXPECT_EQ(properties, expected);
}

TEST(PropertyValueTest, NamesThatDifferInCaseAreDifferentNames) {  // USR-3, USR-4
  PropertyMap properties = {{"color", std::string("red")}};

  Merge(properties, {{"Color", std::string("blue")}});

  EXPECT_EQ(properties.size(), 2U);
  EXPECT_EQ(properties.front().second, PropertyValue(std::string("red")));
}

TEST(PropertyValueTest, ItsSizeIsThatOfNameAndValue) {  // SIZ-4
  const auto size = [](PropertyValue value) { return SizeOf({"name", std::move(value)}); };
  EXPECT_EQ(size(std::monostate()), 4U);
  EXPECT_EQ(size(true), 5U);
  EXPECT_EQ(size(std::int8_t{1}), 5U);
  EXPECT_EQ(size(std::uint64_t{1}), 12U);
  EXPECT_EQ(size(1.0), 12U);
  EXPECT_EQ(size(std::string("value")), 9U);
  EXPECT_EQ(size(Decimal{"12.50"}), 9U);
  EXPECT_EQ(size(Uri{"urn:a"}), 9U);
  EXPECT_EQ(size(Uuid()), 20U);
}

// The number of a type is on disk: an old one must not move.
TEST(PropertyValueTest, TypesKeepTheirNumbers) {
  const PropertyValue in_order[] = {std::monostate(),
                                    true,
                                    std::int8_t{},
                                    std::int16_t{},
                                    std::int32_t{},
                                    std::int64_t{},
                                    std::uint8_t{},
                                    std::uint16_t{},
                                    std::uint32_t{},
                                    std::uint64_t{},
                                    0.0F,
                                    0.0,
                                    Decimal(),
                                    U'a',
                                    std::string(),
                                    Uuid(),
                                    Instant(),
                                    TimeSpan(),
                                    Uri(),
                                    DateTimeOffset()};
  std::size_t number = 0;
  for (const PropertyValue& value : in_order) EXPECT_EQ(value.index(), number++);
}

}  // namespace
}  // namespace wharf

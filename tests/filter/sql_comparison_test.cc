// Which values are equal, less, or not comparable at all.
#include <gtest/gtest.h>

#include "tests/filter/judge.h"

namespace wharf {
namespace {

TEST(SqlComparisonTest, TextsCompareByTheirCharacters) {  // SQL-9
  ExpectAll({
      {"color = 'red'", "T"},
      {"color = 'Red'", "F"},
      {"color <> 'Red'", "T"},
      {"color > 'Red'", "T"},
      {"color < 'redder'", "T"},
      {"color >= 'red'", "T"},
      {"color <= 'red'", "T"},
      {"color < 'blue'", "F"},
      {"'a' < 'B'", "F"},
      {"'' < 'a'", "T"},
      {"'z' < '\xC3\xA4'", "T"},
  });
}

TEST(SqlComparisonTest, NumbersCompareAcrossTheirTypes) {  // SQL-5
  ExpectAll({
      {"quantity = 3", "T"},     {"quantity = 3.0", "T"},  {"size > quantity", "T"},
      {"price > quantity", "F"}, {"weight = 0.5", "T"},    {"weight < price", "T"},
      {"weight = 0.1", "F"},     {"i8 = -8", "T"},         {"i16 = -16", "T"},
      {"i8 < u8", "T"},          {"u16 = 16", "T"},        {"u32 = 32", "T"},
      {"u64 = 64", "T"},         {"u64 = 64.0", "T"},      {"letter = 65", "T"},
      {"letter < 66", "T"},      {"u32max > i32max", "T"}, {"u32max > -1", "T"},
      {"u64max > i64max", "T"},  {"u64max = -1", "F"},     {"u64max > -1", "T"},
      {"-1 < u64max", "T"},      {"i64min < u64", "T"},    {"i64max < u64max", "T"},
      {"u64max = u64max", "T"},  {"size = 10.5", "F"},     {"i64max = i64max + 0.0", "T"},
      {"quantity >= 3", "T"},    {"quantity <= 2", "F"},   {"0.1 + 0.2 = 0.3", "F"},
      {"@ten = size", "T"},      {"@tenth = 0.1", "T"},    {"@big > u32max", "T"},
  });
}

TEST(SqlComparisonTest, NotANumberIsUnequalToAll) {
  ExpectAll({
      {"nan = nan", "F"},
      {"nan <> nan", "T"},
      {"nan < 1", "F"},
      {"nan >= 1", "F"},
      {"nan IN (nan)", "F"},
  });
}

TEST(SqlComparisonTest, DecimalsCompareWithWholeNumbersAndEachOther) {  // SQL-5
  ExpectAll({
      {"cost = same_cost", "T"},
      {"cost = @cost", "T"},
      {"cost > 12", "T"},
      {"cost < 13", "T"},
      {"cost <> 12", "T"},
      {"cost = 12.5", "U"},
      {"cost > 1.0", "U"},
      {"weight < cost", "U"},
      {"huge_cost > i64max", "T"},
      {"huge_cost > u64max", "T"},
      {"quantity < cost", "T"},
      {"no_decimal = no_decimal", "U"},
      {"no_decimal IS NULL", "F"},
      {"EXISTS(no_decimal)", "T"},
  });
}

TEST(SqlComparisonTest, TypesThatCannotBeComparedAreUnknown) {  // SQL-6
  ExpectAll({
      {"text2 = 2", "U"},
      {"2 = text2", "U"},
      {"text2 <> 2", "U"},
      {"color > 1", "U"},
      {"paid = 1", "U"},
      {"paid = 'true'", "U"},
      {"id = 'a'", "U"},
      {"link = 'urn:a'", "U"},
      {"noon = 1800000000", "U"},
      {"noon > '2027-01-15'", "U"},
      {"minute = 60", "U"},
      {"minute < noon", "U"},
      {"letter = 'A'", "U"},
      {"NOT text2 = 2", "U"},
      {"id = link", "U"},
  });
}

TEST(SqlComparisonTest, InstantsAndSpansHaveAnOrder) {  // SQL-10
  ExpectAll({
      {"noon = @noon", "T"},
      {"noon < later", "T"},
      {"later >= @noon", "T"},
      {"local_noon = noon", "T"},
      {"local_noon < later", "T"},
      {"minute = @minute", "T"},
      {"later - noon > @minute", "T"},
      {"noon - noon < minute", "T"},
      {"noon - later < @minute", "T"},
      {"sys.EnqueuedTimeUtc <= @noon", "T"},
      {"sys.TimeToLive > minute", "T"},
  });
}

TEST(SqlComparisonTest, SomeTypesAreEqualOrNotAndHaveNoOrder) {  // SQL-11
  ExpectAll({
      {"paid = TRUE", "T"},
      {"paid <> TRUE", "F"},
      {"paid = FALSE", "F"},
      {"paid = @yes", "T"},
      {"paid > FALSE", "U"},
      {"paid <= TRUE", "U"},
      {"id = same_id", "T"},
      {"id = other_id", "F"},
      {"id <> other_id", "T"},
      {"id = @id", "T"},
      {"id < other_id", "U"},
      {"id >= id", "U"},
      {"link = same_link", "T"},
      {"link <> same_link", "F"},
      {"link < same_link", "U"},
  });
}

TEST(SqlComparisonTest, NewIdIsNewEachTime) {  // SQL-22
  ExpectAll({
      {"newid() = newid()", "F"},
      {"newid() <> newid()", "T"},
      {"newid() = id", "F"},
      {"newid() < newid()", "U"},
  });
}

}  // namespace
}  // namespace wharf

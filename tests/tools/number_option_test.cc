#include "tools/wharf/text/number_option.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace wharf::tool {
namespace {

std::string WhyNot(const std::string& text, const NumberRange& range = {}) {
  const Result<std::uint64_t> number = ParseNumber(text, range);
  return number.ok() ? "" : number.status().message();
}

TEST(NumberOptionTest, ReadsWholeNumbers) {
  EXPECT_EQ(*ParseNumber("0", {}), 0);
  EXPECT_EQ(*ParseNumber("007", {}), 7);
  EXPECT_EQ(*ParseNumber("18446744073709551615", {}), 18446744073709551615u);
}

TEST(NumberOptionTest, RefusesWhatIsNone) {
  for (const char* text : {"-1", "", "abc", "1x", "1.5", "+1", " 1", "1e3", "0x10"}) {
    EXPECT_EQ(WhyNot(text), "\"" + std::string(text) + "\" is not a whole number from 0 up");
  }
}

TEST(NumberOptionTest, RefusesWhatDoesNotFit) {
  EXPECT_EQ(WhyNot("18446744073709551616"), "18446744073709551616 is too large a number");
  EXPECT_EQ(WhyNot("9223372036854775808", RangeOf<std::int64_t>()),
            "9223372036854775808 is too large a number");
  EXPECT_EQ(WhyNot("0", {.min = 1, .max = 1000}), "\"0\" is not a whole number from 1 to 1000");
  EXPECT_EQ(WhyNot("1001", {.min = 1, .max = 1000}),
            "\"1001\" is not a whole number from 1 to 1000");
  EXPECT_EQ(WhyNot("0", {.min = 1}), "\"0\" is not a whole number from 1 up");
  EXPECT_EQ(WhyNot("1000", {.min = 1, .max = 1000}), "");
}

TEST(NumberOptionTest, AnOptionTellsItsName) {
  CLI::App app;
  std::uint32_t count = 3;
  AddNumberOption(app, "--max,-n", count, "How many");

  std::vector<std::string> arguments = {"-5", "-n"};
  try {
    app.parse(arguments);
    ADD_FAILURE() << "-5 was taken";
  } catch (const CLI::ParseError& error) {
    EXPECT_STREQ(error.what(), "--max: \"-5\" is not a whole number from 0 up");
  }
  EXPECT_EQ(count, 3);
  arguments = {"5", "--max"};
  app.parse(arguments);
  EXPECT_EQ(count, 5);
}

}  // namespace
}  // namespace wharf::tool

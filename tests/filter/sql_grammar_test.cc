// The shape of the language: words, precedence, three-valued logic.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "broker/filter/sql_filter.h"
#include "tests/filter/judge.h"

namespace wharf {
namespace {

TEST(SqlGrammarTest, TrueAndFalseAreFilters) {  // RUL-16, SQL-23
  EXPECT_EQ(Judge(std::string(kTrueFilterText)), "T");
  EXPECT_EQ(Judge(std::string(kFalseFilterText)), "F");
}

TEST(SqlGrammarTest, WordsHaveNoCase) {  // SQL-1
  ExpectAll({
      {"color = 'red' and size = 10", "T"},
      {"COLOR = 'red' AND SIZE = 10", "T"},
      {"Color Like 'r%' aNd nOt Size iN (1, 2)", "T"},
      {"SYS.label = 'order' AND Sys.LABEL = 'order'", "T"},
      {"USER.color = 'red' AND uSeR.Color = 'red'", "T"},
      {"exists(color) and Exists(COLOR)", "T"},
      {"nothing is null and color Is Not Null", "T"},
      {"paid = true and paid <> False and (nothing = null or 1=1)", "T"},
      {"PROPERTY('color') = 'red' AND P('COLOR') = 'red'", "T"},
      {"NEWID() <> NewId()", "T"},
      {"percent LIKE '50!%%' escape '!'", "T"},
      {"@COLOR = 'red'", "T"},
  });
}

TEST(SqlGrammarTest, TextsAreInSingleQuotes) {  // SQL-2
  ExpectAll({
      {"color = 'red'", "T"},
      {"quote = 'it''s'", "T"},
      {"'' = ''", "T"},
      {"'''' = ''''", "T"},
      {"umlaut = 'gr\xC3\xBC\xC3\x9F'", "T"},
      {"color = 'r'", "F"},
      {"'\xF0\x9F\x98\x80' = '\xF0\x9F\x98\x80'", "T"},
      {"'a\nb' = 'a\nb'", "T"},
  });
}

TEST(SqlGrammarTest, NumbersAreWholeOrFloating) {  // SQL-3, SQL-4
  ExpectAll({
      {"size = 10", "T"},
      {"price = 2.5", "T"},
      {"price = 25e-1", "T"},
      {"price = .25E1", "T"},
      {"price = 2.50", "T"},
      {"2. = 2", "T"},
      {"1e3 = 1000", "T"},
      {"7/2 = 3", "T"},
      {"7/2.0 = 3.5", "T"},
      {"i64max = 9223372036854775807", "T"},
      {"i64min = -9223372036854775808", "T"},
      {"- 9223372036854775808 = i64min", "T"},
      {"-(-9223372036854775807) = i64max", "T"},
      {"-(-9223372036854775808) = i64min", "T"},
      {"007 = 7", "T"},
  });
}

TEST(SqlGrammarTest, TighterOperatorsGoFirst) {
  ExpectAll({
      {"1 + 2 * 3 = 7", "T"},
      {"(1 + 2) * 3 = 9", "T"},
      {"2 * 3 + 1 = 7", "T"},
      {"10 - 4 - 3 = 3", "T"},
      {"100 / 10 / 5 = 2", "T"},
      {"100 / 10 * 5 = 50", "T"},
      {"10 % 4 * 3 = 6", "T"},
      {"7 - 2 % 2 = 7", "T"},
      {"-2 * 3 = -6", "T"},
      {"- 2 + 3 = 1", "T"},
      {"-(2 + 3) = -5", "T"},
      {"3 - -2 = 5", "T"},
      {"3 + + 2 = 5", "T"},
      {"- - - 2 = -2", "T"},
      {"1 + 1 < 3", "T"},
      {"1 < 1 + 1 AND 4 > 3", "T"},
      {"((((1)))) = 1", "T"},
      {"((1 = 1))", "T"},
      {"((1) = (1)) AND (1) = 1", "T"},
      {"1 + 1 IN (1 + 1, 3)", "T"},
      {"'r' + 'ed' LIKE 'r' + '%'", "T"},
  });
}

TEST(SqlGrammarTest, NotGoesBeforeAndGoesBeforeOr) {
  ExpectAll({
      {"NOT 1=0 AND 1=0", "F"},
      {"NOT (1=0 AND 1=0)", "T"},
      {"NOT 1=1 OR 1=1", "T"},
      {"NOT (1=1 OR 1=1)", "F"},
      {"1=1 OR 1=0 AND 1=0", "T"},
      {"(1=1 OR 1=0) AND 1=0", "F"},
      {"1=0 AND 1=0 OR 1=1", "T"},
      {"1=0 AND (1=0 OR 1=1)", "F"},
      {"NOT NOT 1=1", "T"},
      {"NOT color IS NULL", "T"},
      {"NOT color IN ('red')", "F"},
      {"NOT color LIKE 'r%' OR paid = TRUE", "T"},
      {"NOT EXISTS(color)", "F"},
  });
}

// T: 1=1, F: 1=0, U: NULL = 1.
TEST(SqlGrammarTest, LogicHasThreeValues) {  // SQL-14, SQL-17
  ExpectAll({
      {"1=1 AND 1=1", "T"},
      {"1=1 AND 1=0", "F"},
      {"1=0 AND 1=1", "F"},
      {"1=0 AND 1=0", "F"},
      {"1=1 AND NULL=1", "U"},
      {"NULL=1 AND 1=1", "U"},
      {"1=0 AND NULL=1", "F"},
      {"NULL=1 AND 1=0", "F"},
      {"NULL=1 AND NULL=1", "U"},
      {"1=1 OR 1=1", "T"},
      {"1=1 OR 1=0", "T"},
      {"1=0 OR 1=1", "T"},
      {"1=0 OR 1=0", "F"},
      {"1=1 OR NULL=1", "T"},
      {"NULL=1 OR 1=1", "T"},
      {"1=0 OR NULL=1", "U"},
      {"NULL=1 OR 1=0", "U"},
      {"NULL=1 OR NULL=1", "U"},
      {"NOT 1=1", "F"},
      {"NOT 1=0", "T"},
      {"NOT NULL=1", "U"},
      {"NULL = NULL", "U"},
      {"NULL <> NULL", "U"},
      {"color = NULL", "U"},
      {"missing = 2 OR size = 10", "T"},
      {"NOT (missing = 2)", "U"},
      {"missing <> missing", "U"},
      {"NULL < 1", "U"},
  });
}

TEST(SqlGrammarTest, WhatTheLeftSideDecidesIsNotReckoned) {
  ExpectAll({
      {"1=0 AND 1/0 = 1", "F"},
      {"1=1 OR 1/0 = 1", "T"},
      {"1=0 AND 1/0 = 1 OR 1=1", "T"},
      {"(1=1 OR 1/0=1) AND (1=0 AND 1/0=1 OR 1=1)", "T"},
      {"1=1 AND 1/0 = 1", "a whole number or decimal is divided by zero"},
      {"NULL=1 AND 1/0 = 1", "a whole number or decimal is divided by zero"},
  });
}

TEST(SqlGrammarTest, InLooksForAnEqualElement) {  // SQL-16
  ExpectAll({
      {"color IN ('red')", "T"},
      {"color IN ('blue', 'red', 'green')", "T"},
      {"color IN ('blue', 'green')", "F"},
      {"color NOT IN ('blue', 'green')", "T"},
      {"color NOT IN ('blue', 'red')", "F"},
      {"missing IN ('red')", "U"},
      {"missing NOT IN ('red')", "U"},
      {"nothing IN (NULL)", "U"},
      {"color IN ('blue', NULL)", "U"},
      {"color NOT IN ('blue', NULL)", "U"},
      {"color IN (NULL, 'red')", "T"},
      {"color IN (missing, 'red')", "T"},
      {"color NOT IN (NULL, 'red')", "F"},
      {"color IN (1, 2)", "U"},
      {"color IN (1, 'red')", "T"},
      {"size IN (9, 10.0)", "T"},
      {"size IN (quantity, quantity + 7)", "T"},
      {"size IN (1) OR size IN (10)", "T"},
  });
}

TEST(SqlGrammarTest, AListMayBeAsLongAsTheText) {
  std::string filter = "size IN (1";
  while (filter.size() < 1010) filter += ",1";
  EXPECT_EQ(Judge(filter + ")"), "F");
  EXPECT_EQ(Judge(filter + ",10)"), "T");
}

TEST(SqlGrammarTest, UnequalHasTwoSigns) {  // SQL-30
  ExpectAll({
      {"size <> 11", "T"},
      {"size != 11", "T"},
      {"size <> 10", "F"},
      {"size != 10", "F"},
      {"missing != 1", "U"},
  });
}

TEST(SqlGrammarTest, SpacesAreNeededBetweenLettersOnly) {
  ExpectAll({
      {"size=10AND paid=TRUE", "T"},
      {"size=10and(paid=true)", "T"},
      {"\t size\r\n=\n10 ", "T"},
      {"color='red'OR 1=0", "T"},
      {"sys . Label = 'order'", "T"},
      {"NOT(1=0)", "T"},
      {"size IN(10)", "T"},
      {"1=1AND 2=2", "T"},
  });
}

TEST(SqlGrammarTest, ATextMayHave1024Characters) {  // SQL-24, RUL-14
  const auto filter_of = [](std::size_t characters) {
    const std::string begin = "color <> '";
    std::string filter = begin;
    for (std::size_t i = begin.size() + 1; i < characters; ++i) filter += "\xC3\xBC";
    return filter + "'";
  };
  EXPECT_EQ(Judge(filter_of(1024)), "T");
  EXPECT_EQ(Judge(filter_of(1025)), "the filter is longer than 1024 characters");
  EXPECT_EQ(Judge(std::string(1 << 20, '\x80')), "the filter is longer than 1024 characters");
}

// Neither the parser nor the evaluation recurses; what has to wait is bounded.
TEST(SqlGrammarTest, NestingIsBounded) {
  const auto times = [](std::size_t count, const std::string& text) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) all += text;
    return all;
  };
  EXPECT_EQ(Judge(times(500, "(") + "1" + times(500, ")") + "=1"), "T");
  EXPECT_EQ(Judge(times(255, "NOT ") + "1=1"), "F");
  EXPECT_EQ(Judge(times(1000, "-") + "1=1"), "T");
  EXPECT_EQ(Judge("1" + times(500, "+1") + "=501"), "T");
  EXPECT_EQ(Judge("1=0" + times(125, " OR 1=0")), "F");
  EXPECT_EQ(Judge(times(60, "1+(") + "1" + times(60, ")") + "=61"), "T");
  EXPECT_EQ(Judge(times(64, "1+(") + "1" + times(64, ")") + "=65"),
            "the filter is wrong at column 193: this is nested too deeply");
  EXPECT_EQ(Judge(times(62, "1=0 OR (") + "1=1" + times(62, ")")), "T");
}

TEST(SqlGrammarTest, TheTextIsKept) {
  const std::string text = " color =  @Color ";
  const Result<SqlFilter> filter = SqlFilter::Compile(text, {{"@color", std::string("red")}});

  ASSERT_TRUE(filter.ok());
  EXPECT_EQ(filter->text(), text);
  EXPECT_EQ(filter->parameters(), (PropertyMap{{"@color", std::string("red")}}));
}

TEST(SqlGrammarTest, AParameterMayBeNamedWithoutItsSign) {
  for (const auto* name : {"@color", "color"}) {
    EXPECT_TRUE(SqlFilter::Compile("color = @color", {{name, std::string("red")}}).ok()) << name;
  }
}

TEST(SqlGrammarTest, AFilterCanBeMovedAndCopied) {
  Result<SqlFilter> compiled = SqlFilter::Compile("color = 'red'");
  ASSERT_TRUE(compiled.ok());
  std::vector<SqlFilter> filters = {*std::move(compiled)};
  filters.push_back(filters.front());
  SeededRandom random(1);

  for (const SqlFilter& filter : filters) {
    EXPECT_EQ(*filter.Evaluate(MessageView(SampleOrder()), random), Truth::kTrue);
  }
}

}  // namespace
}  // namespace wharf

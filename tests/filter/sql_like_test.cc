#include <string>

#include <gtest/gtest.h>

#include "broker/filter/like.h"
#include "tests/filter/judge.h"

namespace wharf {
namespace {

TEST(SqlLikeTest, APatternMatchesTheWholeText) {  // SQL-20
  ExpectAll({
      {"color LIKE 'red'", "T"},
      {"color LIKE 're'", "F"},
      {"color LIKE 'ed'", "F"},
      {"color LIKE 'redd'", "F"},
      {"color LIKE ''", "F"},
      {"'' LIKE ''", "T"},
      {"color LIKE 'RED'", "F"},
      {"color NOT LIKE 'RED'", "T"},
      {"color NOT LIKE 'red'", "F"},
  });
}

TEST(SqlLikeTest, PercentIsAnyRun) {  // SQL-20
  ExpectAll({
      {"color LIKE '%'", "T"},
      {"'' LIKE '%'", "T"},
      {"color LIKE 'r%'", "T"},
      {"color LIKE '%d'", "T"},
      {"color LIKE 'r%d'", "T"},
      {"color LIKE '%e%'", "T"},
      {"color LIKE '%red%'", "T"},
      {"color LIKE 'red%'", "T"},
      {"color LIKE '%x%'", "F"},
      {"color LIKE '%%d%%'", "T"},
      {"color LIKE 'd%'", "F"},
      {"color LIKE '%r%e%d%'", "T"},
      {"color LIKE '%d%e%r%'", "F"},
      {"'abcabd' LIKE '%abd'", "T"},
      {"'aab' LIKE '%ab'", "T"},
      {"'mississippi' LIKE '%iss%ip%'", "T"},
      {"'mississippi' LIKE 'm%iss%ix'", "F"},
  });
}

TEST(SqlLikeTest, UnderscoreIsOneCharacter) {  // SQL-20
  ExpectAll({
      {"color LIKE '___'", "T"},
      {"color LIKE '__'", "F"},
      {"color LIKE '____'", "F"},
      {"color LIKE 'r_d'", "T"},
      {"color LIKE '_e_'", "T"},
      {"'' LIKE '_'", "F"},
      {"umlaut LIKE '____'", "T"},
      {"umlaut LIKE 'gr__'", "T"},
      {"umlaut LIKE 'gr_\xC3\x9F'", "T"},
      {"umlaut LIKE '%__'", "T"},
      {"umlaut LIKE '%_____'", "F"},
      {"color LIKE '_%_'", "T"},
      {"'a\xF0\x9F\x98\x80' LIKE 'a_'", "T"},
      {"'\xC3\xBC' LIKE '%__'", "F"},
  });
}

TEST(SqlLikeTest, AnEscapeMakesTheNextCharacterItself) {  // SQL-20
  ExpectAll({
      {"percent LIKE '50!% off' ESCAPE '!'", "T"},
      {"percent LIKE '50!%' ESCAPE '!'", "F"},
      {"percent LIKE '%!%%' ESCAPE '!'", "T"},
      {"color LIKE '!%' ESCAPE '!'", "F"},
      {"'a_b' LIKE 'a!_b' ESCAPE '!'", "T"},
      {"'axb' LIKE 'a!_b' ESCAPE '!'", "F"},
      {"'a!b' LIKE 'a!!b' ESCAPE '!'", "T"},
      {"'a!b' LIKE 'a!b'", "T"},
      {"'ab' LIKE 'a!b' ESCAPE '!'", "T"},
      {"'a!' LIKE 'a!' ESCAPE '!'", "F"},
      {"'100%' LIKE '100%%' ESCAPE '%'", "T"},
      {"'100x' LIKE '100%%' ESCAPE '%'", "F"},
      {"'a_' LIKE 'a__' ESCAPE '_'", "T"},
      {"'a%' LIKE 'a\xC3\xBC%' ESCAPE '\xC3\xBC'", "T"},
      {"'ab' LIKE 'a\xC3\xBC%' ESCAPE '\xC3\xBC'", "F"},
      {"percent NOT LIKE '50!% off' ESCAPE '!'", "F"},
      {"percent LIKE '50' + '!% off' ESCAPE '!' + ''", "T"},
  });
}

TEST(SqlLikeTest, WhatIsNoTextIsNotMatched) {  // SQL-15, SQL-20
  ExpectAll({
      {"missing LIKE '%'", "U"},
      {"missing NOT LIKE '%'", "U"},
      {"color LIKE missing", "U"},
      {"color LIKE NULL", "U"},
      {"color NOT LIKE NULL", "U"},
      {"size LIKE '1%'", "U"},
      {"color LIKE 1", "U"},
      {"letter LIKE 'A'", "U"},
      {"link LIKE 'urn%'", "U"},
      {"color LIKE '%' ESCAPE missing", "U"},
      {"color LIKE '%' ESCAPE NULL", "U"},
      {"missing LIKE '%' ESCAPE '!'", "U"},
      {"color LIKE @color", "T"},
      {"color LIKE which", "F"},
  });
}

TEST(SqlLikeTest, AnEscapeIsOneCharacter) {  // SQL-21
  ExpectAll({
      {"color LIKE '%' ESCAPE ''",
       "the filter is wrong at column 23: what follows ESCAPE is not one character"},
      {"color LIKE '%' ESCAPE '!!'",
       "the filter is wrong at column 23: what follows ESCAPE is not one character"},
      {"color LIKE '%' ESCAPE 5",
       "the filter is wrong at column 23: what follows ESCAPE is not one character"},
      {"color LIKE '%' ESCAPE '\xC3\xBC'", "T"},
      {"color LIKE '%' ESCAPE color", "what follows ESCAPE is not one character"},
      {"color LIKE '%' ESCAPE size", "what follows ESCAPE is not one character"},
      {"color LIKE '%' ESCAPE '!' + '!'", "what follows ESCAPE is not one character"},
  });
}

// What a rule may cost a message does not depend on what is in the message.
TEST(SqlLikeTest, TheCostOfAnEvaluationIsBounded) {
  EXPECT_EQ(Judge("color LIKE @long"), "T");
  EXPECT_EQ(Judge("@wide LIKE '%a%b%'"), "F");
  EXPECT_EQ(Judge("@wide LIKE @wide"), "LIKE has to compare texts that are too long");

  std::string filter = "@wide LIKE '%aaaaaaaaaaaaaaaab%'";
  EXPECT_EQ(Judge(filter), "F");
  while (filter.size() < 900) filter += " OR @wide LIKE '%aaaaaaaaaaaaaaaab%'";
  EXPECT_EQ(Judge(filter), "LIKE has to compare texts that are too long");
}

// Trying every way to share a text among many `%` would take longer than the universe has.
TEST(SqlLikeTest, ManyRunsCostNoMoreThanTheProductOfTheLengths) {
  const std::string text(32 * 1024, 'a');
  std::string pattern;
  for (int i = 0; i < 500; ++i) pattern += "%a";

  EXPECT_TRUE(sql::Like(text, pattern, ""));
  EXPECT_FALSE(sql::Like(text, pattern + "b", ""));
  EXPECT_FALSE(sql::Like(text, "%" + std::string(500, 'a') + "b%", ""));
}

}  // namespace
}  // namespace wharf

// What is no filter, and where (RUL-11).
#include <initializer_list>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/filter/judge.h"

namespace wharf {
namespace {

// The error without "the filter is wrong at".
std::string Complaint(const std::string& filter) {
  const std::string prefix = "the filter is wrong at ";
  const std::string error = Judge(filter);
  return error.starts_with(prefix) ? error.substr(prefix.size()) : error;
}

void ExpectComplaints(std::initializer_list<std::pair<std::string, std::string>> cases) {
  for (const auto& [filter, complaint] : cases) EXPECT_EQ(Complaint(filter), complaint) << filter;
}

TEST(SqlErrorTest, AnErrorNamesTheColumnAndTheWord) {  // RUL-11
  ExpectComplaints({
      {"", "column 1: the text ends too soon; a condition is expected"},
      {"   ", "column 4: the text ends too soon; a condition is expected"},
      {"color", "column 6: the text ends too soon; a comparison is expected"},
      {"color =", "column 8: the text ends too soon; a value is expected"},
      {"color = 'red' AND", "column 18: the text ends too soon; a condition is expected"},
      {"color = = 'red'", "column 9: '=' is not expected here; a value is expected"},
      {"color FORM 'red'", "column 7: 'FORM' is not expected here; a comparison is expected"},
      {"color = 'red' size = 1", "column 15: 'size' is not expected here"},
      {"(color = 'red'", "column 15: the text ends too soon"},
      {"color = 'red')", "column 14: ')' is not expected here"},
      {"()", "column 2: ')' is not expected here; a condition is expected"},
      {"size IN ()", "column 10: ')' is not expected here; a value is expected"},
      {"size IN 5", "column 9: '5' is not expected here; ( is expected"},
      {"size IN (5,)", "column 12: ')' is not expected here; a value is expected"},
      {"color IS 'red'", "column 10: ''red'' is not expected here; NOT or NULL is expected"},
      {"color IS NOT 5", "column 14: '5' is not expected here; NULL is expected"},
      {"EXISTS color", "column 8: 'color' is not expected here; ( is expected"},
      {"EXISTS('color')",
       "column 8: ''color'' is not expected here; the name of a property is expected"},
      {"size + 1 IS NULL", "column 10: 'IS' is not expected here; a comparison is expected"},
      {"1 = 1 = 1", "column 7: '=' is not expected here"},
      {"(1 = 1) = TRUE", "column 9: '=' is not expected here; the end, AND or OR is expected"},
      {"1 = (1 = 1)", "column 8: '=' is not expected here"},
      {"color NOT 'red'", "column 11: ''red'' is not expected here; IN or LIKE is expected"},
      {"color = 'red';", "column 14: ';' is not expected here"},
      {"SET color = 'red'", "column 1: 'SET' is not expected here; a condition is expected"},
      {"gr\xC3\xBC\xC3\x9F"
       "e == 1",
       "column 8: '=' is not expected here; a value is expected"},
      {"1 ==\n1", "column 4: '=' is not expected here; a value is expected"},
  });
}

TEST(SqlErrorTest, ABareBooleanIsNoCondition) {
  ExpectComplaints({
      {"paid", "column 5: the text ends too soon; a comparison is expected"},
      {"paid AND size = 10", "column 6: 'AND' is not expected here; a comparison is expected"},
      {"size = 10 AND paid", "column 19: the text ends too soon; a comparison is expected"},
      {"NOT paid", "column 9: the text ends too soon; a comparison is expected"},
      {"TRUE", "column 5: the text ends too soon; a comparison is expected"},
      {"(paid) OR 1=1", "column 8: 'OR' is not expected here; a comparison is expected"},
  });
}

TEST(SqlErrorTest, ReservedWordsNameNothing) {  // SQL-29
  for (const std::string word : {"AND", "OR", "NOT", "IN", "LIKE", "ESCAPE", "IS", "NULL", "EXISTS",
                                 "TRUE", "FALSE", "SET", "REMOVE", "and", "Set"}) {
    EXPECT_EQ(Complaint("user." + word + " = 1"),
              "column 6: '" + word + "' is not expected here; the name of a property is expected");
  }
}

TEST(SqlErrorTest, WhatBeginsMustEnd) {
  ExpectComplaints({
      {"color = 'red", "column 9: what begins here has no end"},
      {"color = 'it''s", "column 9: what begins here has no end"},
      {"[color = 'red'", "column 1: what begins here has no end"},
      {"[a]] = 1", "column 1: what begins here has no end"},
      {"\"color = 'red'", "column 1: what begins here has no end"},
      {"color = '", "column 9: what begins here has no end"},
  });
}

TEST(SqlErrorTest, UnknownSignsAreRefused) {
  ExpectComplaints({
      {"size # 5", "column 6: '#' is not expected here"},
      {"size = $5", "column 8: '$' is not expected here"},
      {"size = @5", "column 8: '@' is not expected here"},
      {"size ! 5", "column 6: '!' is not expected here"},
      {"_size = 5", "column 1: '_' is not expected here"},
      {"size = 5 \xE2\x82\xAC", "column 10: '\xE2\x82\xAC' is not expected here"},
      {"size = {5}", "column 8: '{' is not expected here"},
      {"size = \x80", "column 8: the text is not UTF-8"},
      {std::string("size \0= 5", 9), std::string("column 6: '\0' is not expected here", 34)},
      {"a & b", "column 3: '&' is not expected here"},
  });
}

TEST(SqlErrorTest, NumbersFitIntoTheirTypes) {  // SQL-4
  ExpectComplaints({
      {"size = 9223372036854775808", "column 8: the number does not fit into 64 bits"},
      {"9223372036854775808 = size", "column 1: the number does not fit into 64 bits"},
      {"1 - 9223372036854775808 = size", "column 5: the number does not fit into 64 bits"},
      {"size = 9223372036854775808 + 1", "column 8: the number does not fit into 64 bits"},
      {"size = -9223372036854775809", "column 9: the number does not fit into 64 bits"},
      {"size = 99999999999999999999", "column 8: the number does not fit into 64 bits"},
      {"size IN (1, 9223372036854775808)", "column 13: the number does not fit into 64 bits"},
      {"price = 1e999", "column 9: the number does not fit into a double"},
      {"size = 1 2", "column 10: '2' is not expected here"},
      {"size = 1x", "column 9: 'x' is not expected here"},
      {"size = 1.2.3", "column 11: '.3' is not expected here"},
  });
}

TEST(SqlErrorTest, OnlyWhatThereIsCanBeNamed) {
  ExpectComplaints({
      {"message.color = 1", "column 1: there is no scope 'message', only sys and user"},
      {"[sys].Label = 1", "column 6: '.' is not expected here; a comparison is expected"},
      {"sys.user.Label = 1", "column 5: there is no system property 'user'"},
      {"user.sys.Label = 1", "column 9: '.' is not expected here; a comparison is expected"},
      {"sys. = 1", "column 6: '=' is not expected here; the name of a property is expected"},
      {"[] = 1", "column 1: the name of a property is empty"},
      {"user.\"\" = 1", "column 6: the name of a property is empty"},
      {"now() = 1", "column 1: there is no function now()"},
      {"upper('a') = 'A'", "column 1: there is no function upper(name)"},
      {"upper(color) = 'A'", "column 1: there is no function upper(name)"},
      {"p() = 1", "column 1: there is no function p()"},
      {"newid('a') = 1", "column 1: there is no function newid(name)"},
      {"p('a', 'b') = 1", "column 6: ',' is not expected here"},
      {"color = @", "column 9: '@' is not expected here"},
  });
}

// The first thing that is wrong is told.
TEST(SqlErrorTest, OneErrorIsToldAndItIsTheFirst) {
  ExpectComplaints({
      {"sys.x = 1 AND sys.y = 2", "column 5: there is no system property 'x'"},
      {"sys.x = 1 AND", "column 5: there is no system property 'x'"},
      {"a = = 1 AND sys.x = 1", "column 5: '=' is not expected here; a value is expected"},
  });
}

TEST(SqlErrorTest, AnErrorShowsABoundedPartOfTheText) {
  EXPECT_LT(Complaint("color = 'red' '" + std::string(900, 'x') + "'").size(), 200U);
  EXPECT_LT(Judge("p('sys.' + @wide) = 1").size(), 200U);
}

}  // namespace
}  // namespace wharf

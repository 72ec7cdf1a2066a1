// Selectors of JMS as filters of ours: by the text, and by which messages they take (JMS-6).
#include "broker/doors/amqp/jms/selector.h"

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/filter/sql_filter.h"
#include "storage/base/random.h"
#include "tests/amqp/jms/any_selector.h"
#include "tests/seed_note.h"

namespace wharf::amqp::jms {
namespace {

using ::testing::HasSubstr;

std::string TextOf(std::string_view selector) {
  const Result<std::string> text = FilterTextOf(selector);
  return text.ok() ? *text : "! " + text.status().message();
}

Message Sample() {
  Message message;
  message.message_id = "ID:7";
  message.correlation_id = "order-1";
  message.subject = "invoice";
  message.session_id = "group";
  CarriedProperties carried;
  carried.priority = 7;
  carried.durable = true;
  carried.creation_time = Nanotime{1'700'000'000, 5'000'000};
  message.carried = std::make_shared<const CarriedProperties>(std::move(carried));
  message.application_properties = {{"age", std::int32_t{30}},     {"weight", 2.5},
                                    {"city", std::string("Rome")}, {"isNew", true},
                                    {"set", std::string("x")},     {"_under", std::int64_t{1}}};
  return message;
}

// "T", "F", "?" for unknown, or what is wrong.
std::string Taken(std::string_view selector, const Message& message = Sample()) {
  const Result<std::string> text = FilterTextOf(selector);
  if (!text.ok()) return text.status().message();
  const Result<SqlFilter> filter = SqlFilter::Compile(*text);
  SeededRandom random(1);
  const Result<Truth> truth = filter->Evaluate(MessageView(message), random);
  if (!truth.ok()) return truth.status().message();
  return *truth == Truth::kTrue ? "T" : *truth == Truth::kFalse ? "F" : "?";
}

TEST(SelectorTest, NoneTakesEverything) {
  EXPECT_EQ(TextOf(""), "");
  EXPECT_EQ(TextOf(" \t\n"), "");
}

TEST(SelectorTest, IsWrittenAsAFilter) {
  EXPECT_EQ(TextOf("JMSPriority > 4 and age = 1"), "sys.Priority > 4 AND [age] = 1");
  EXPECT_EQ(TextOf("age BETWEEN 1 AND 2 OR isNew"),
            "([age] >= 1 AND [age] <= 2) OR [isNew] = TRUE");
  EXPECT_EQ(TextOf("a + 1 not between b * 2 and (c - 1)"),
            "NOT ([a] + 1 >= [b] * 2 AND [a] + 1 <= ( [c] - 1 ))");
  EXPECT_EQ(TextOf("a between 1 and 2 and b between 3 and 4"),
            "([a] >= 1 AND [a] <= 2) AND ([b] >= 3 AND [b] <= 4)");
  EXPECT_EQ(TextOf("set = 'it''s'"), "[set] = 'it''s'");
}

TEST(SelectorTest, TheHeadersOfAMessageAreAskedFor) {
  for (const char* selector :
       {"JMSMessageID = 'ID:7'", "JMSCorrelationID LIKE 'order-%'", "JMSType = 'invoice'",
        "JMSPriority = 7", "JMSTimestamp = 1700000000005", "JMSTimestamp > 1.6E12",
        "JMSDeliveryMode = 'PERSISTENT'", "JMSDeliveryMode IN ('PERSISTENT')",
        "JMSXGroupID = 'group'"}) {
    EXPECT_EQ(Taken(selector), "T") << selector;
  }
  const Message plain;
  EXPECT_EQ(Taken("JMSPriority = 4", plain), "T");
  EXPECT_EQ(Taken("JMSDeliveryMode = 'NON_PERSISTENT'", plain), "T");
  EXPECT_EQ(Taken("JMSTimestamp > 0", plain), "?");
  EXPECT_EQ(Taken("JMSMessageID IS NULL AND JMSType IS NULL", plain), "T");
}

TEST(SelectorTest, TakesWhatJmsTakes) {
  for (const char* selector : {"age BETWEEN 30 AND 30",
                               "NOT age BETWEEN 31 AND 40",
                               "age NOT BETWEEN 31 AND 40",
                               "weight BETWEEN 2 AND age",
                               "city BETWEEN 'A' AND 'Z'",
                               "(age) BETWEEN (29) AND (age + 1)",
                               "isNew",
                               "(isNew)",
                               "((isNew)) AND NOT (NOT isNew)",
                               "TRUE",
                               "isNew = TRUE",
                               "city IN ('Oslo', 'Rome')",
                               "city NOT IN ('Oslo')",
                               "city LIKE 'R_m%'",
                               "city NOT LIKE 'O!%' ESCAPE '!'",
                               "nobody IS NULL",
                               "city IS NOT NULL",
                               "set = 'x'",
                               "_under = 1",
                               "age = 0x1E",
                               "age = 036",
                               "age = 30L",
                               "weight = 2.5d",
                               "weight = 25e-1f",
                               "age = +30",
                               "-age = -30",
                               "age * 2 - 10 = 100 / 2",
                               "age <> 31",
                               "City = 'Rome'"}) {
    EXPECT_EQ(Taken(selector), "T") << selector;
  }
}

TEST(SelectorTest, WhatIsNotThereIsUnknown) {
  for (const char* selector : {"nobody = 1", "NOT nobody = 1", "nobody BETWEEN 1 AND 2",
                               "nobody NOT BETWEEN 1 AND 2", "nobody LIKE '%'", "nobody",
                               "nobody IN ('a')", "nobody = 1 OR age = 1", "age = 'thirty'"}) {
    EXPECT_EQ(Taken(selector), "?") << selector;
  }
  EXPECT_EQ(Taken("nobody = 1 AND age = 1"), "F");
  EXPECT_EQ(Taken("nobody = 1 OR age = 30"), "T");
}

TEST(SelectorTest, WhatCannotBeHonouredIsRefusedByName) {
  for (const char* name : {"JMSDestination", "JMSReplyTo", "JMSExpiration", "JMSRedelivered",
                           "JMSXDeliveryCount", "JMSXUserID", "JMSXGroupSeq", "JMS_AMQP_TTL"}) {
    EXPECT_EQ(TextOf(std::string(name) + " = 'x'"),
              "! jms-selector: '" + std::string(name) + "' cannot be selected by");
  }
}

TEST(SelectorTest, WhatOnlyAFilterHasIsNoSelector) {
  for (const char* selector :
       {"@p = 1", "[a] = 1", "\"a\" = 1", "a % 2 = 1", "a != 1", "user.a = 1", "EXISTS(a)",
        "newid() = 'x'", "property('a') = 1", "a = 1;", "a = 'no end", "sys.To = 'x'"}) {
    EXPECT_THAT(TextOf(selector), HasSubstr("! jms-selector: ")) << selector;
  }
}

TEST(SelectorTest, WhatDoesNotParseSaysWhere) {
  for (const char* selector : {"=",
                               "a",
                               "a =",
                               "AND",
                               "a = 1 AND",
                               "(a = 1",
                               "a = 1)",
                               "BETWEEN 1 AND 2",
                               "a BETWEEN 1",
                               "a BETWEEN 1 AND",
                               "a BETWEEN AND 2",
                               "a BETWEEN (1 AND 2",
                               "NOT BETWEEN 1 AND 2",
                               "a IN ()",
                               "a LIKE",
                               "a IS",
                               "'x' LIKE",
                               "1 2",
                               "0x",
                               "08",
                               "1e",
                               "a b",
                               "\xff = 1"}) {
    const std::string text = TextOf(selector);
    if (std::string_view(selector) == "a") {
      EXPECT_EQ(text, "[a] = TRUE");
    } else {
      EXPECT_THAT(text, HasSubstr("! jms-selector: ")) << selector;
    }
  }
}

// In the selector that its client has written, not in the filter that is made of it.
TEST(SelectorTest, AnErrorTellsTheColumnInTheSelector) {
  const struct {
    std::string_view selector;
    std::string_view where;
  } kWrong[] = {
      {"a=", "at column 3: the text ends too soon"},
      {"= 1", "at column 1: "},
      {"  a b", "at column 5: "},
      {"isNew AND price > 1 AND", "at column 24: the text ends too soon"},
      {"isNew AND 1 2", "at column 13: "},
      {"age BETWEEN 1 AND 2 2", "at column 21: "},
      {"NOT age BETWEEN 1 AND 2 OR )", "at column 28: "},
      {"age BETWEEN 1 2 AND 3", "at column 15: "},
      {"age BETWEEN 1 AND 2 3", "at column 21: "},
      {"name = '\u00e9\u00e9' b", "at column 13: "},
      {"name = '\u00e9\u00e9' @", "at column 13: "},
  };
  for (const auto& [selector, where] : kWrong) {
    EXPECT_THAT(TextOf(std::string(selector)),
                HasSubstr("! jms-selector: it is wrong " + std::string(where)))
        << selector;
  }
}

// However deep and however long: in no time, and without a stack.
TEST(SelectorTest, WhatIsNestedTooDeepOrTooLongIsRefused) {
  const std::string deep = std::string(10'000, '(') + "a = 1" + std::string(10'000, ')');
  EXPECT_EQ(TextOf(deep), "! jms-selector: it is longer than 4096 bytes");
  const std::string fits = std::string(2'000, '(') + "a" + std::string(2'000, ')');
  EXPECT_THAT(TextOf(fits), HasSubstr("! jms-selector: "));
  std::string nots;
  for (int i = 0; i < 1000; ++i) nots += "NOT ";
  EXPECT_THAT(TextOf(nots + "a"), HasSubstr("! jms-selector: "));
  std::string ranges = "a BETWEEN 1 AND 2";
  while (ranges.size() < 4'000) ranges += " AND a BETWEEN 1 AND 2";
  EXPECT_THAT(TextOf(ranges), HasSubstr("longer than 1024 characters"));
}

// Whatever words come in whatever order: it is refused, or it is a filter that can be asked.
TEST(SelectorTest, AnyWordsAreAFilterOrRefused) {
  constexpr std::string_view kWords[] = {
      "a",       "isNew", "JMSPriority", "JMSReplyTo",  "1",   "0x1F",    "2.5d", "'x'",
      "'it''s'", "TRUE",  "AND",         "OR",          "NOT", "BETWEEN", "IN",   "LIKE",
      "IS",      "NULL",  "ESCAPE",      "(",           ")",   ",",       "=",    "<>",
      "<",       "+",     "-",           "*",           "/",   "'",       "\xc3", "@",
      "[",       "1e",    "08",          "not between", "set"};
  int taken = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    const SeedNote note("seed " + std::to_string(seed));
    SeededRandom random(seed);
    std::string selector;
    for (std::uint64_t words = 1 + random.Next() % 12; words > 0; --words) {
      selector += kWords[random.Next() % std::size(kWords)];
      if (random.Next() % 4 != 0) selector += ' ';
    }
    if (TryAnySelector(selector)) ++taken;
  }
  EXPECT_GT(taken, 100);
}

}  // namespace
}  // namespace wharf::amqp::jms

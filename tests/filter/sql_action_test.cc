#include "broker/filter/sql_action.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "storage/base/random.h"
#include "tests/filter/judge.h"

namespace wharf {
namespace {

using std::chrono::seconds;

constexpr std::int32_t kInt32Max = std::numeric_limits<std::int32_t>::max();

// What is left of the sample order after an action, or why the action failed.
struct Changed {
  Message message;
  Status status;
};

Changed ChangeBy(const std::string& action, Message message = SampleOrder()) {
  const Result<SqlAction> compiled = SqlAction::Compile(action, SampleParameters());
  if (!compiled.ok()) return {std::move(message), compiled.status()};
  SeededRandom random(1);
  Status status = compiled->Apply(message, SampleBroker(), random);
  return {std::move(message), std::move(status)};
}

std::string ErrorOf(const std::string& action) {
  const Status status = ChangeBy(action).status;
  EXPECT_EQ(status.code(), status.ok() ? ErrorCode::kOk : ErrorCode::kRuleActionException);
  return status.message();
}

// The property of exactly that name.
PropertyValue ValueIn(const Message& message, std::string_view name) {
  for (const auto& property : message.application_properties) {
    if (property.first == name) return property.second;
  }
  ADD_FAILURE() << "there is no " << name;
  return {};
}

PropertyValue ValueAfter(const std::string& action, std::string_view name) {
  const Changed changed = ChangeBy(action);
  EXPECT_TRUE(changed.status.ok()) << action << ": " << changed.status.message();
  return ValueIn(changed.message, name);
}

std::string After(const std::string& action, const std::string& filter) {
  const Changed changed = ChangeBy(action);
  if (!changed.status.ok()) return changed.status.message();
  return Judge(filter, MessageView(changed.message, SampleBroker()));
}

TEST(SqlActionTest, SetCreatesAndOverwrites) {  // ACT-1
  EXPECT_EQ(ValueAfter("SET brand = 'x'", "brand"), PropertyValue(std::string("x")));
  EXPECT_EQ(ValueAfter("SET color = 'blue'", "color"), PropertyValue(std::string("blue")));
  EXPECT_EQ(ValueAfter("set [new one] = 1", "new one"), PropertyValue(std::int64_t{1}));
  EXPECT_EQ(ValueAfter("SET user.brand = @cost", "brand"), PropertyValue(Decimal{"12.500"}));
  EXPECT_EQ(ValueAfter("SET fresh = 1.5", "fresh"), PropertyValue(1.5));
  EXPECT_EQ(ValueAfter("SET fresh = TRUE", "fresh"), PropertyValue(true));
  EXPECT_EQ(After("SET fresh = newid()", "fresh = fresh AND fresh <> id"), "T");
}

// Of version 4 and the common variant, or others would not take it for one.
TEST(SqlActionTest, NewIdIsARandomUuid) {  // SQL-22
  const Changed changed = ChangeBy("SET a = newid(); SET b = newid(); SET c = newid()");

  for (const auto* name : {"a", "b", "c"}) {
    const auto uuid = std::get<Uuid>(ValueIn(changed.message, name));
    EXPECT_EQ(uuid.bytes[6] & 0xf0, 0x40);
    EXPECT_EQ(uuid.bytes[8] & 0xc0, 0x80);
  }
}

TEST(SqlActionTest, AnExistingPropertyKeepsTheCaseOfItsName) {  // ACT-1, SQL-1
  const Changed changed = ChangeBy("SET COLOR = 'blue'");

  EXPECT_EQ(ValueIn(changed.message, "color"), PropertyValue(std::string("blue")));
  EXPECT_EQ(changed.message.application_properties.size(),
            SampleOrder().application_properties.size());
}

TEST(SqlActionTest, ANumberTakesTheTypeOfTheOneBefore) {  // ACT-1
  EXPECT_EQ(ValueAfter("SET quantity = 5", "quantity"), PropertyValue(std::int32_t{5}));
  EXPECT_EQ(ValueAfter("SET quantity = quantity + 1", "quantity"), PropertyValue(std::int32_t{4}));
  EXPECT_EQ(ValueAfter("SET i8 = i8 * 2", "i8"), PropertyValue(std::int8_t{-16}));
  EXPECT_EQ(ValueAfter("SET u16 = 65535", "u16"), PropertyValue(std::uint16_t{65535}));
  EXPECT_EQ(ValueAfter("SET u64 = 5", "u64"), PropertyValue(std::uint64_t{5}));
  EXPECT_EQ(ValueAfter("SET weight = 1.5", "weight"), PropertyValue(1.5F));
  EXPECT_EQ(ValueAfter("SET price = 3", "price"), PropertyValue(3.0));
  EXPECT_EQ(ValueAfter("SET price = weight", "price"), PropertyValue(0.5));
  EXPECT_EQ(ValueAfter("SET cost = 3", "cost"), PropertyValue(Decimal{"3"}));
  EXPECT_EQ(ValueAfter("SET cost = cost + 1", "cost"), PropertyValue(Decimal{"13.50"}));
  EXPECT_EQ(ValueAfter("SET local_noon = @noon", "local_noon"),
            PropertyValue(DateTimeOffset{{1'800'000'000, 0}}));
}

TEST(SqlActionTest, ANumberThatDoesNotFitFails) {  // ACT-7, RUL-9
  const std::string error = "the value for '";
  const std::string why = "' does not fit into the type of the property";
  EXPECT_EQ(ErrorOf("SET quantity = 2147483648"), error + "quantity" + why);
  EXPECT_EQ(ErrorOf("SET i8 = 128"), error + "i8" + why);
  EXPECT_EQ(ErrorOf("SET u8 = -1"), error + "u8" + why);
  EXPECT_EQ(ErrorOf("SET u64 = -1"), error + "u64" + why);
  EXPECT_EQ(ErrorOf("SET weight = 1e300"), error + "weight" + why);
  EXPECT_EQ(ErrorOf("SET size = u64max"), error + "size" + why);
}

TEST(SqlActionTest, WhatIsNotConvertedReplaces) {  // ACT-1
  EXPECT_EQ(ValueAfter("SET color = 5", "color"), PropertyValue(std::int64_t{5}));
  EXPECT_EQ(ValueAfter("SET quantity = 'many'", "quantity"), PropertyValue(std::string("many")));
  EXPECT_EQ(ValueAfter("SET quantity = 1.5", "quantity"), PropertyValue(1.5));
  EXPECT_EQ(ValueAfter("SET cost = 1.5", "cost"), PropertyValue(1.5));
  EXPECT_EQ(ValueAfter("SET paid = 1", "paid"), PropertyValue(std::int64_t{1}));
  EXPECT_EQ(ValueAfter("SET nothing = 1", "nothing"), PropertyValue(std::int64_t{1}));
}

TEST(SqlActionTest, ACopyKeepsItsType) {
  EXPECT_EQ(ValueAfter("SET fresh = i8", "fresh"), PropertyValue(std::int8_t{-8}));
  EXPECT_EQ(ValueAfter("SET fresh = letter", "fresh"), PropertyValue(U'A'));
  EXPECT_EQ(ValueAfter("SET fresh = p(link)", "fresh"), PropertyValue(Uri{"urn:a"}));
  EXPECT_EQ(ValueAfter("SET fresh = no_decimal", "fresh"), PropertyValue(Decimal{"a lot"}));
  EXPECT_EQ(ValueAfter("SET fresh = local_noon", "fresh"),
            PropertyValue(DateTimeOffset{{1'800'000'000, 0}}));
  EXPECT_EQ(ValueAfter("SET fresh = i32max", "fresh"), PropertyValue(kInt32Max));
  EXPECT_EQ(ValueAfter("SET fresh = sys.Label + '!'", "fresh"),
            PropertyValue(std::string("order!")));
}

TEST(SqlActionTest, RemoveDeletes) {  // ACT-2
  EXPECT_EQ(After("REMOVE color", "EXISTS(color)"), "F");
  EXPECT_EQ(After("REMOVE [Two Words]", "EXISTS([two words])"), "F");
  EXPECT_EQ(After("REMOVE user.COLOR", "EXISTS(color)"), "F");
  EXPECT_EQ(After("REMOVE missing", "color = 'red'"), "T");
  EXPECT_EQ(After("REMOVE twice", "EXISTS(twice)"), "F");
  EXPECT_EQ(After("REMOVE sys.Label", "sys.Label IS NULL"), "T");
  EXPECT_EQ(After("REMOVE sys.TimeToLive", "sys.TimeToLive IS NULL"), "T");
  EXPECT_EQ(After("REMOVE sys.ScheduledEnqueueTimeUtc", "sys.Label = 'order'"), "T");
}

TEST(SqlActionTest, UnknownSystemPropertiesAreErrors) {  // ACT-3, RUL-11
  EXPECT_EQ(ErrorOf("SET sys.Colour = 'x'"),
            "the action is wrong at column 9: there is no system property 'Colour'");
  EXPECT_EQ(ErrorOf("REMOVE sys.Colour"),
            "the action is wrong at column 12: there is no system property 'Colour'");
  EXPECT_EQ(ErrorOf("SET color = sys.Colour"),
            "the action is wrong at column 17: there is no system property 'Colour'");
  EXPECT_EQ(ErrorOf("SET color = p('sys.Colour')"), "there is no system property 'Colour'");
}

TEST(SqlActionTest, TheScopeIsTheUsersUnlessItIsSaid) {  // ACT-4
  const Changed changed =
      ChangeBy("SET sys.CorrelationId = 'low'; SET sys.To = 'Entity'; SET To = 1");

  EXPECT_EQ(changed.message.correlation_id, "low");
  EXPECT_EQ(changed.message.to, "Entity");
  EXPECT_EQ(ValueIn(changed.message, "To"), PropertyValue(std::int64_t{1}));
}

TEST(SqlActionTest, LaterStatementsSeeWhatEarlierOnesDid) {  // ACT-5
  EXPECT_EQ(After("SET a = 1 SET a = a + 1 SET b = a * 10", "a = 2 AND b = 20"), "T");
  EXPECT_EQ(After("SET a = color; REMOVE color; SET b = color", "a = 'red' AND b IS NULL"), "T");
  EXPECT_EQ(After("SET sys.Label = 'x' SET a = sys.Label", "a = 'x'"), "T");
}

TEST(SqlActionTest, SemicolonsMayStandBetweenStatementsAndAtTheEnd) {
  EXPECT_EQ(After("SET a = 1; SET b = 2", "a + b = 3"), "T");
  EXPECT_EQ(After("SET a = 1 SET b = 2", "a + b = 3"), "T");
  EXPECT_EQ(After("SET a = 1; SET b = 2;", "a + b = 3"), "T");
  EXPECT_EQ(After("SET a = 1;", "a = 1"), "T");
  EXPECT_EQ(ErrorOf("SET a = 1;; SET b = 2"),
            "the action is wrong at column 11: ';' is not expected here; the end, REMOVE or SET is "
            "expected");
  EXPECT_EQ(ErrorOf("; SET a = 1"),
            "the action is wrong at column 1: ';' is not expected here; REMOVE or SET is expected");
}

TEST(SqlActionTest, WritableSystemPropertiesAreWritten) {  // ACT-6
  const Changed changed = ChangeBy(
      "SET sys.ContentType = 'a' SET sys.CorrelationId = 'b' SET sys.Label = 'c' "
      "SET sys.MessageId = 'd' SET sys.PartitionKey = 'e' SET sys.ReplyTo = 'f' "
      "SET sys.ReplyToSessionId = 'g' SET sys.SessionId = 'h' SET sys.To = 'i' "
      "SET sys.ViaPartitionKey = 'j' SET sys.TimeToLive = @minute "
      "SET sys.ScheduledEnqueueTimeUtc = sys.EnqueuedTimeUtc + @minute");

  ASSERT_TRUE(changed.status.ok()) << changed.status.message();
  const Message& message = changed.message;
  EXPECT_EQ(message.content_type, "a");
  EXPECT_EQ(message.correlation_id, "b");
  EXPECT_EQ(message.subject, "c");
  EXPECT_EQ(message.message_id, "d");
  EXPECT_EQ(message.partition_key, "e");
  EXPECT_EQ(message.reply_to, "f");
  EXPECT_EQ(message.reply_to_session_id, "g");
  EXPECT_EQ(message.session_id, "h");
  EXPECT_EQ(message.to, "i");
  EXPECT_EQ(message.via_partition_key, "j");
  EXPECT_EQ(message.time_to_live, seconds(60));
  EXPECT_EQ(message.scheduled_enqueue_time, Timestamp(seconds(1'800'000'060)));
  EXPECT_EQ(message.body, "seven teas");
}

TEST(SqlActionTest, WhatTheBrokerOwnsIsRefused) {  // ACT-6, RUL-11
  for (const std::string name :
       {"SequenceNumber", "EnqueuedSequenceNumber", "EnqueuedTimeUtc", "DeliveryCount",
        "ExpiresAtUtc", "DeadLetterSource", "ForcePersistence", "Size", "State"}) {
    EXPECT_EQ(ErrorOf("SET sys." + name + " = 1"),
              "the action is wrong at column 1: sys." + name +
                  " belongs to the broker and cannot be changed");
    EXPECT_EQ(ErrorOf("SET a = 1 REMOVE sys." + name),
              "the action is wrong at column 11: sys." + name +
                  " belongs to the broker and cannot be changed");
  }
}

TEST(SqlActionTest, NullIsStored) {  // ACT-7
  EXPECT_EQ(ValueAfter("SET color = NULL", "color"), PropertyValue(std::monostate()));
  EXPECT_EQ(ValueAfter("SET color = missing", "color"), PropertyValue(std::monostate()));
  EXPECT_EQ(ValueAfter("SET fresh = missing + 1", "fresh"), PropertyValue(std::monostate()));
  EXPECT_EQ(ChangeBy("SET sys.Label = NULL").message.subject, std::nullopt);
  EXPECT_EQ(ChangeBy("SET sys.TimeToLive = missing").message.time_to_live, std::nullopt);
}

TEST(SqlActionTest, SystemPropertiesKeepTheirTypes) {  // ACT-7, RUL-9
  EXPECT_EQ(ErrorOf("SET sys.Label = 5"), "the value for sys.Label is not a text");
  EXPECT_EQ(ErrorOf("SET sys.TimeToLive = 60"), "the value for sys.TimeToLive is not a time span");
  EXPECT_EQ(ErrorOf("SET sys.ScheduledEnqueueTimeUtc = 'noon'"),
            "the value for sys.ScheduledEnqueueTimeUtc is not an instant");
  EXPECT_EQ(ErrorOf("SET sys.TimeToLive = noon - noon"),
            "the value for 'TimeToLive' does not fit into the type of the property");
  EXPECT_EQ(ChangeBy("SET sys.ScheduledEnqueueTimeUtc = local_noon").message.scheduled_enqueue_time,
            Timestamp(seconds(1'800'000'000)));
}

TEST(SqlActionTest, WhatCannotBeReckonedFails) {  // RUL-9
  EXPECT_EQ(ErrorOf("SET a = 1 / 0"), "a whole number or decimal is divided by zero");
  EXPECT_EQ(ErrorOf("SET a = @wide + @wide + @wide"), "joining texts makes more than 262144 bytes");
}

TEST(SqlActionTest, AnActionHasAtMost32Statements) {  // ACT-8, RUL-14
  std::string action;
  for (int i = 0; i < 32; ++i) action += "SET a=1 ";
  EXPECT_EQ(ErrorOf(action), "");
  EXPECT_EQ(ErrorOf(action + "REMOVE a"),
            "the action is wrong at column 257: an action has at most 32 statements");
}

TEST(SqlActionTest, AnActionHasAtMost1024Characters) {  // ACT-8, RUL-14
  EXPECT_EQ(ErrorOf("SET a='" + std::string(1016, 'x') + "'"), "");
  EXPECT_EQ(ErrorOf("SET a='" + std::string(1017, 'x') + "'"),
            "the action is longer than 1024 characters");
}

TEST(SqlActionTest, WhatIsNoActionIsToldWithItsPlace) {  // RUL-11
  const std::pair<std::string, std::string> cases[] = {
      {"", "column 1: the text ends too soon; REMOVE or SET is expected"},
      {"color = 'red'", "column 1: 'color' is not expected here; REMOVE or SET is expected"},
      {"SET color", "column 10: the text ends too soon; = or . is expected"},
      {"SET color 'red'", "column 11: ''red'' is not expected here; = or . is expected"},
      {"SET color =", "column 12: the text ends too soon; a value is expected"},
      {"SET color = 'red' AND 1=1", "column 19: 'AND' is not expected here"},
      {"SET color = size = 1", "column 18: '=' is not expected here"},
      {"SET 'color' = 1",
       "column 5: ''color'' is not expected here; the name of a property is expected"},
      {"SET = 1", "column 5: '=' is not expected here; the name of a property is expected"},
      {"REMOVE", "column 7: the text ends too soon; the name of a property is expected"},
      {"REMOVE a, b", "column 9: ',' is not expected here"},
      {"SET a = 1, b = 2", "column 10: ',' is not expected here"},
      {"SET p('a') = 1", "column 6: '(' is not expected here; = or . is expected"},
      {"SET a = 9223372036854775808", "column 9: the number does not fit into 64 bits"},
      {"SET a = 9223372036854775808 SET b = 1", "column 9: the number does not fit into 64 bits"},
      {"SET a = @missing", "column 9: no value is given for @missing"},
      {"DELETE a", "column 1: 'DELETE' is not expected here; REMOVE or SET is expected"},
  };
  for (const auto& [action, complaint] : cases) {
    EXPECT_EQ(ErrorOf(action), "the action is wrong at " + complaint) << action;
  }
}

TEST(SqlActionTest, TheTextIsKept) {  // ACT-9: an action stands by itself, beside any filter.
  const Result<SqlAction> action = SqlAction::Compile(" SET a = @b", {{"@b", true}});

  ASSERT_TRUE(action.ok());
  EXPECT_EQ(action->text(), " SET a = @b");
  EXPECT_EQ(action->parameters(), (PropertyMap{{"@b", true}}));
}

}  // namespace
}  // namespace wharf

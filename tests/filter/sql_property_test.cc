// How filters name properties, and what those are when they are not there.
#include <string>

#include <gtest/gtest.h>

#include "tests/filter/judge.h"

namespace wharf {
namespace {

TEST(SqlPropertyTest, NamesHaveNoCase) {  // SQL-1, USR-3
  ExpectAll({
      {"COLOR = 'red'", "T"},
      {"CoLoR = 'red'", "T"},
      {"SIZE = 10 AND size = 10", "T"},
      {"[COLOR] = 'red'", "T"},
      {"Twice = 1", "T"},  // USR-4: the first in order
      {"twice = 1", "T"},
      {"TWICE = 2", "F"},
  });
}

TEST(SqlPropertyTest, OddNamesStandInBracketsOrQuotes) {  // SQL-27, SQL-29
  ExpectAll({
      {"[two words] = 2", "T"},
      {"\"two words\" = 2", "T"},
      {"[a]]b] = 3", "T"},
      {"\"a\"\"b\" = 4", "T"},
      {"[a\"b] = 4", "T"},
      {"\"a]b\" = 3", "T"},
      {"[and] = 6", "T"},
      {"\"AND\" = 6", "T"},
      {"user.[and] = 6", "T"},
      {"select = 5", "T"},
      {"\"http://schemas.example/Name\" = 'account'", "T"},
      {"[http://schemas.example/Name] = 'account'", "T"},
      {"\xC3\x84hre = 1", "T"},
      {"sys.[Label] = 'order'", "T"},
      {"sys.\"message"
       "Id\" = 'm-7'",
       "T"},
      {"[sys.Label] IS NULL", "T"},
  });
}

TEST(SqlPropertyTest, AScopeSaysWhoseItIs) {
  ExpectAll({
      {"user.color = 'red'", "T"},
      {"user.Label IS NULL", "T"},
      {"Label IS NULL", "T"},
      {"sys.Label = 'order'", "T"},
      {"sys = 7", "T"},
      {"user.sys = 7", "T"},
      {"p = 8", "T"},
      {"p('p') = 8", "T"},
  });
}

TEST(SqlPropertyTest, WhatIsMissingIsUnknown) {  // SQL-12, SQL-14
  ExpectAll({
      {"missing = 1", "U"},
      {"missing <> 1", "U"},
      {"user.missing = 'x'", "U"},
      {"nothing = 1", "U"},
      {"missing = missing", "U"},
      {"missing = 1 OR color = 'red'", "T"},
  });
}

TEST(SqlPropertyTest, NullIsAskedFor) {  // SQL-18
  ExpectAll({
      {"missing IS NULL", "T"},
      {"missing IS NOT NULL", "F"},
      {"nothing IS NULL", "T"},
      {"nothing IS NOT NULL", "F"},
      {"color IS NULL", "F"},
      {"color IS NOT NULL", "T"},
      {"sys.To IS NULL", "T"},
      {"sys.To IS NOT NULL", "F"},
      {"sys.Label IS NULL", "F"},
      {"sys.Label IS NOT NULL", "T"},
      {"user.[two words] IS NOT NULL", "T"},
  });
}

TEST(SqlPropertyTest, APresentNullExists) {  // SQL-19
  ExpectAll({
      {"EXISTS(color)", "T"},
      {"EXISTS(missing)", "F"},
      {"EXISTS(nothing)", "T"},
      {"EXISTS ( sys.Label )", "T"},
      {"EXISTS(sys.To)", "F"},
      {"NOT EXISTS(missing)", "T"},
      {"EXISTS([two words])", "T"},
      {"EXISTS(user.Color)", "T"},
  });
}

TEST(SqlPropertyTest, TheSystemsPropertiesHaveTheirTypes) {  // SQL-25
  ExpectAll({
      {"sys.MessageId = 'm-7'", "T"},
      {"sys.CorrelationId = 'high'", "T"},
      {"sys.ContentType = 'text/plain'", "T"},
      {"sys.Label = 'order'", "T"},
      {"sys.Subject = 'order'", "T"},
      {"sys.SessionId = ''", "T"},
      {"sys.SequenceNumber = 7", "T"},
      {"sys.EnqueuedSequenceNumber = 3", "T"},
      {"sys.DeliveryCount >= 2", "T"},
      {"sys.DeadLetterSource = 'orders'", "T"},
      {"sys.State = 1", "T"},
      {"sys.Size = 1234", "T"},
      {"sys.EnqueuedTimeUtc = @noon", "T"},
      {"sys.ExpiresAtUtc > @noon", "T"},
      {"sys.TimeToLive = minute + minute / 1", "U"},
      {"sys.TimeToLive - minute < minute", "T"},
  });
}

TEST(SqlPropertyTest, AnUnsetSystemPropertyIsNull) {  // SQL-26
  ExpectAll({
      {"sys.To = 'x'", "U"},
      {"sys.To IS NULL", "T"},
      {"sys.ReplyTo IS NULL", "T"},
      {"sys.ReplyToSessionId IS NULL", "T"},
      {"sys.PartitionKey IS NULL", "T"},
      {"sys.ViaPartitionKey IS NULL", "T"},
      {"sys.ScheduledEnqueueTimeUtc IS NULL", "T"},
      {"sys.ForcePersistence IS NULL", "T"},
      {"NOT sys.To = 'x'", "U"},
  });
}

// Ours, for selectors of JMS, which stand in tests/amqp/jms (JMS-6).
TEST(SqlPropertyTest, WhatAHeaderDoesNotSayIsItsDefault) {
  ExpectAll({
      {"sys.Priority = 4", "T"},
      {"sys.DeliveryMode = 'NON_PERSISTENT'", "T"},
      {"sys.CreationTimeMs IS NULL", "T"},
      {"sys.CreationTimeMs > 0", "U"},
  });
}

TEST(SqlPropertyTest, AnUnknownSystemPropertyIsAnError) {  // SQL-12, RUL-7
  ExpectAll({
      {"sys.Colour = 'x'", "the filter is wrong at column 5: there is no system property 'Colour'"},
      {"1=1 OR sys.[x] IS NULL",
       "the filter is wrong at column 12: there is no system property 'x'"},
      {"EXISTS(sys.Body)", "the filter is wrong at column 12: there is no system property 'Body'"},
      {"property('sys.Colour') = 'x'", "there is no system property 'Colour'"},
      {"1=1 OR property('sys.Colour') = 'x'", "T"},
  });
}

TEST(SqlPropertyTest, APropertyMayBeNamedByAText) {  // SQL-22
  ExpectAll({
      {"property('color') = 'red'", "T"},
      {"p('color') = 'red'", "T"},
      {"p('COL' + 'or') = 'red'", "T"},
      {"p('user.color') = 'red'", "T"},
      {"p('sys.label') = 'order'", "T"},
      {"p('SYS.To') = 'order'", "U"},
      {"p('two words') = 2", "T"},
      {"p('missing') = 2", "U"},
      {"p(p('which')) = 'red'", "T"},
      {"p(@color) = 'red'", "U"},
      {"p(color) = 'red'", "T"},
      {"p(which) = 'color'", "T"},
      {"p((which)) = 'red'", "T"},
      {"p([two words]) = 2", "T"},
      {"p(sys.Label) = 'order'", "T"},
      {"p(5) = 5", "U"},
      {"p(NULL) = 5", "U"},
      {"property ( 'size' ) + 1 = 11", "T"},
  });
}

TEST(SqlPropertyTest, ParametersHaveTypes) {  // SQL-28
  ExpectAll({
      {"color = @color", "T"},
      {"size = @ten", "T"},
      {"@tenth * 10 = 1.0", "T"},
      {"paid = @yes", "T"},
      {"noon = @noon", "T"},
      {"minute = @minute", "T"},
      {"@nothing = 1", "U"},
      {"size = @eleven", "the filter is wrong at column 8: no value is given for @eleven"},
      {"size IN (@ten, 11)", "T"},
      {"-@ten = -10", "T"},
  });
}

}  // namespace
}  // namespace wharf

#include "tools/wharf/receiving/settlement_verb.h"

#include <gtest/gtest.h>

namespace wharf::tool {
namespace {

TEST(SettlementVerbTest, EveryVerbOfTheApiHasAName) {
  std::set<int> made;
  for (const auto& [name, verb] : VerbsByName()) made.insert(MakeSettlement(verb).verb_case());

  EXPECT_EQ(static_cast<int>(made.size()),
            v1::Settlement::descriptor()->FindOneofByName("verb")->field_count());
}

TEST(SettlementVerbTest, EachTakesWhatItKnows) {
  VerbDetails details;
  details.reason = "Bad";
  details.delay = std::chrono::milliseconds(1500);
  details.properties_to_modify["a"].set_bool_value(true);

  EXPECT_EQ(MakeSettlement(Verb::kDeadLetter, details).dead_letter().reason(), "Bad");
  const v1::Abandon abandon = MakeSettlement(Verb::kAbandon, details).abandon();
  EXPECT_EQ(abandon.delay().seconds(), 1);
  EXPECT_EQ(abandon.delay().nanos(), 500000000);
  EXPECT_EQ(abandon.properties_to_modify_size(), 1);
  EXPECT_EQ(MakeSettlement(Verb::kDefer, details).defer().properties_to_modify_size(), 1);

  details.delay.reset();
  details.available_at.emplace().set_seconds(7);
  EXPECT_EQ(MakeSettlement(Verb::kAbandon, details).abandon().available_at().seconds(), 7);
}

TEST(SettlementVerbTest, WhatTheVerbDoesNotKnowIsBadUsage) {
  VerbDetails reason;
  reason.reason = "Bad";
  EXPECT_THROW(CheckDetails(Verb::kAbandon, reason, {}), CLI::ValidationError);
  VerbDetails delay;
  delay.delay = std::chrono::seconds(1);
  EXPECT_THROW(CheckDetails(Verb::kDefer, delay, {}), CLI::ValidationError);
  EXPECT_THROW(CheckDetails(Verb::kRelease, {}, Moment()), CLI::ValidationError);
  VerbDetails properties;
  properties.properties_to_modify["a"];
  EXPECT_THROW(CheckDetails(Verb::kComplete, properties, {}), CLI::ValidationError);
  EXPECT_THROW(CheckDetails(std::nullopt, reason, {}), CLI::ValidationError);

  EXPECT_NO_THROW(CheckDetails(Verb::kDeadLetter, reason, {}));
  EXPECT_NO_THROW(CheckDetails(Verb::kAbandon, delay, {}));
  EXPECT_NO_THROW(CheckDetails(Verb::kDefer, properties, {}));
}

}  // namespace
}  // namespace wharf::tool

// What only folders of the newest format have is not kept while somebody could not read it: in a
// cluster of which not all members are of this version.

#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "tests/engine/receiving/recording_sink.h"
#include "tests/harness/engine_harness.h"
#include "tests/harness/sample_request.h"

namespace wharf {
namespace {

// Not in braces: with this variant they take GCC 12 gigabytes.
PropertyMap ColorOf(PropertyValue value) {
  PropertyMap properties;
  properties.emplace_back("color", std::move(value));
  return properties;
}
const PropertyMap kPlain = ColorOf(std::string("red"));
const PropertyMap kEncoded = ColorOf(EncodedValue{"\xA3\x03red"});

class EncodingsTest : public ::testing::Test {
 protected:
  EncodingsTest()
      : engine_({.check_encodings = [this] {
          return may_keep_ ? Status() : Status(ErrorCode::kInvalidOperation, "somebody is older");
        }}) {
    EXPECT_TRUE(engine_.CreateQueue({.name = "orders"}).ok());
    EXPECT_TRUE(engine_.Create(EntityKind::kTopic, {.name = "news"}).ok());
    EXPECT_TRUE(engine_.Create(EntityKind::kSubscription, {.name = "news/Subscriptions/all"}).ok());
  }

  template <typename Request>
  Status Asked(Request request) {
    std::optional<Status> told;
    engine_.broker().requests().Ask(
        {}, std::move(request),
        [&told](const Result<typename Request::Response>& answer) { told = answer.status(); });
    engine_.Run();
    return *told;
  }
  // Refused as long as somebody is older, and as without any encodings when nobody is.
  template <typename Make>
  void ExpectHeldBack(const Make& make) {
    may_keep_ = false;
    const Status refused = Asked(make(kEncoded));
    EXPECT_EQ(refused.code(), ErrorCode::kInvalidOperation);
    EXPECT_EQ(refused.message(), "somebody is older");
    EXPECT_NE(Asked(make(kPlain)).message(), "somebody is older");

    may_keep_ = true;
    EXPECT_NE(Asked(make(kEncoded)).message(), "somebody is older");
  }

  static Message MessageWith(const PropertyMap& properties) {
    Message message;
    message.application_properties = properties;
    return message;
  }
  static std::vector<Message> Two(const PropertyMap& properties) {
    std::vector<Message> messages(1);
    messages.push_back(MessageWith(properties));
    return messages;
  }

  bool may_keep_ = true;
  EngineHarness engine_;
};

TEST_F(EncodingsTest, SendsAreHeldBack) {
  ExpectHeldBack([](const PropertyMap& properties) {
    return SendRequest{kSampleEntity, Two(properties)};
  });
  EXPECT_EQ(engine_.Receive("orders", 10)->size(), 4U);
}

TEST_F(EncodingsTest, SoIsWhateverOfAMessageIsEncoded) {
  const auto with = [](const auto& say) {
    CarriedProperties carried;
    say(carried);
    Message message;
    message.carried = std::make_shared<const CarriedProperties>(std::move(carried));
    return message;
  };
  AmqpForm form;
  form.property_count = 3;
  Message formed;
  formed.amqp_form = std::make_shared<const AmqpForm>(std::move(form));
  const Message annotated = with([](CarriedProperties& said) { said.annotations = kEncoded; });
  const Message footed = with([](CarriedProperties& said) { said.footer = kEncoded; });
  const Message plain = with([](CarriedProperties& said) {
    said.user_id = "me";
    said.annotations = said.footer = kPlain;
  });
  may_keep_ = false;

  for (const Message& message : {formed, annotated, footed}) {
    EXPECT_FALSE(Asked(SendRequest{kSampleEntity, {message}}).ok());
  }
  EXPECT_TRUE(Asked(SendRequest{kSampleEntity, {plain}}).ok());
}

TEST_F(EncodingsTest, UploadsAreHeldBack) {
  const auto upload = [this](const PropertyMap& properties) {
    std::optional<Status> told;
    const auto handle = engine_.broker().requests().Upload(
        {}, {kSampleEntity, MessageWith(properties), 1}, [] {},
        [&told](const Result<SendOutcome>& sent) { told = sent.status(); });
    handle->Write("x");
    engine_.Run();
    return told.value_or(Status());
  };
  may_keep_ = false;

  EXPECT_EQ(upload(kEncoded).message(), "somebody is older");
  EXPECT_TRUE(upload(kPlain).ok());
}

TEST_F(EncodingsTest, ChangesOfSettlementsAreHeldBack) {
  ExpectHeldBack([](const PropertyMap& properties) {
    return SettleRequest{kSampleEntity,
                         {kSampleToken},
                         {.verb = SettleVerb::kAbandon, .properties_to_modify = properties}};
  });
  ExpectHeldBack([](const PropertyMap& properties) {
    return SettleOneRequest{kSampleEntity,
                            SequenceNumber(1),
                            {.verb = SettleVerb::kDeadLetter, .properties_to_modify = properties}};
  });
}

TEST_F(EncodingsTest, OperationsOfTransactionsAreHeldBack) {
  const auto send = [](const PropertyMap& properties) {
    return Operation{"orders", SendMessages{Two(properties)}};
  };
  const auto settle = [](const PropertyMap& properties) {
    return Operation{
        "orders", SettleMessages{{kSampleToken},
                                 {.verb = SettleVerb::kDefer, .properties_to_modify = properties}}};
  };
  ExpectHeldBack([&](const PropertyMap& properties) {
    return RunTransactionRequest{"run", {send(kPlain), send(properties)}};
  });
  ExpectHeldBack([&](const PropertyMap& properties) {
    return RunTransactionRequest{"settle", {settle(properties)}};
  });
  ExpectHeldBack([&](const PropertyMap& properties) {
    return AddToTransactionRequest{"open", send(properties)};
  });
}

TEST_F(EncodingsTest, RulesAreHeldBack) {
  const auto sql = [](const PropertyMap& properties) {
    return RuleDescription{.name = "sql", .filter = SqlText{"color = @color", properties}};
  };
  const auto correlation = [](const PropertyMap& properties) {
    return RuleDescription{.name = "correlation",
                           .filter = CorrelationFilter{.application_properties = properties}};
  };
  const auto action = [](const PropertyMap& properties) {
    return RuleDescription{.name = "action", .action = SqlText{"SET color = @color", properties}};
  };
  ExpectHeldBack([&](const auto& properties) {
    return AddRuleRequest{"news/Subscriptions/all", sql(properties)};
  });
  ExpectHeldBack([&](const auto& properties) {
    return AddRuleRequest{"news/Subscriptions/all", correlation(properties)};
  });
  ExpectHeldBack([&](const auto& properties) {
    return AddRuleRequest{"news/Subscriptions/all", action(properties)};
  });
  ExpectHeldBack([&](const auto& properties) {
    return CreateEntityRequest{
        EntityKind::kSubscription, {.name = "news/Subscriptions/some"}, sql(properties)};
  });
}

// What is there goes on: it is there because all members can read it.
TEST_F(EncodingsTest, WhatIsAskedAboutIsNotHeldBack) {
  ASSERT_TRUE(Asked(SendRequest{kSampleEntity, Two(kEncoded)}).ok());
  may_keep_ = false;

  const auto received = engine_.Receive("orders", 2);
  ASSERT_EQ(received->size(), 2U);
  EXPECT_TRUE(engine_.DeadLetter("orders", received->at(1).token).ok());
  EXPECT_EQ(engine_.Peek("orders/$DeadLetterQueue")->messages.size(), 1U);
}

}  // namespace
}  // namespace wharf

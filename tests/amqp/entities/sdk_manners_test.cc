// What SDKs say beside what is needed: it is taken, and changes nothing.
#include <cstdint>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/doors/amqp/message/batch.h"
#include "tests/amqp/entities/links_fixture.h"

namespace wharf::amqp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class SdkMannersTest : public LinksFixture {
 protected:
  Attach Sender() {
    Attach attach;
    attach.name = "s";
    attach.role = Role::kSender;
    attach.source.emplace();
    attach.target = TargetAt("q");
    attach.initial_delivery_count = 0;
    return attach;
  }
  // Accepted, and a message goes.
  void ExpectServed(const Attach& attach) {
    client_.Say(attach);
    const std::string line = client_.Hear(" attach{name=\"s\"");
    EXPECT_THAT(line, AllOf(HasSubstr("target"), Not(HasSubstr("unsettled="))));
    EXPECT_THAT(line, Not(HasSubstr("capabilities")));
    client_.Hear(" flow{");
    client_.SayTransfer(0, DataMessage("hello"));
    EXPECT_THAT(client_.Hear(" disposition{"), HasSubstr("accepted"));
    EXPECT_THAT(Receive(), SizeIs(1));
  }
};

// LNK-5
TEST_F(SdkMannersTest, WhatALinkOfBeforeHadUnsettledIsNotResumed) {
  Attach attach = Sender();
  attach.unsettled.emplace().Add(Value(Binary{"tag"}), Value());
  attach.incomplete_unsettled = true;
  ExpectServed(attach);
}

// LNK-13
TEST_F(SdkMannersTest, PropertiesOfALinkAreTaken) {
  Attach attach = Sender();
  Map& properties = attach.properties.emplace();
  properties.Add(Value(Symbol{"com.microsoft:entity-type"}), Value(std::int32_t{0}));
  properties.Add(Value(Symbol{"com.microsoft:timeout"}), Value(std::uint32_t{59'999}));
  properties.Add(Value(Symbol{"com.microsoft:tracking-id"}), Value(std::string("mine")));
  properties.Add(Value(Symbol{"com.microsoft:epoch"}), Value(std::int64_t{7}));
  ExpectServed(attach);
}

// ENC-7
TEST_F(SdkMannersTest, CapabilitiesThatAreNotKnownAreNotOffered) {
  Attach attach = Sender();
  attach.desired_capabilities = {Symbol{"com.microsoft:nobody-knows-it"},
                                 Symbol{"ANONYMOUS-RELAY"}};
  attach.offered_capabilities = {Symbol{"queue"}};
  ExpectServed(attach);
}

// LNK-9
TEST_F(SdkMannersTest, AConnectionHasSeveralSessions) {
  client_.Begin(1);
  Attach attach = Sender();
  client_.Say(attach, 1);
  EXPECT_THAT(client_.Hear(" attach{name=\"s\""), HasSubstr("target"));
  ExpectServed(attach);
}

// SND-6
TEST_F(SdkMannersTest, ABatchIsWhatStandsInIt) {
  AttachSender();
  std::string batch;
  Writer writer(batch);
  Properties envelope;
  envelope.message_id = std::string("of the envelope");
  envelope.group_id = "of the envelope";
  Write(writer, envelope);
  for (const char* const id : {"one", "two"}) {
    writer.BeginDescribed(descriptor::kData);
    writer.WriteBinary(DataMessage("hello", id));
  }
  client_.SayTransfer(0, batch, kBatchFormat);
  client_.Hear(" disposition{");

  const auto received = Receive();
  ASSERT_THAT(received, SizeIs(2));
  EXPECT_EQ(received[0].message->message.message_id, "one");
  EXPECT_EQ(received[1].message->message.message_id, "two");
  EXPECT_FALSE(received[0].message->message.session_id.has_value());
}

}  // namespace
}  // namespace wharf::amqp

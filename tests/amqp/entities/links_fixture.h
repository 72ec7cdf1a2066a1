// LinksFixture: a client of the door on one side, a whole broker in memory on the other, all on the
// thread of the test. There is the queue `q`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "broker/doors/amqp/connection/served_connection.h"
#include "broker/doors/amqp/entities/broker_door.h"
#include "tests/amqp/connection/door_client.h"
#include "tests/harness/engine_harness.h"
#include "tests/quiet_log.h"

namespace wharf::amqp {

inline std::string DataMessage(const std::string& body, const std::string& id = "id") {
  std::string encoded;
  Writer writer(encoded);
  Properties properties;
  if (!id.empty()) properties.message_id = id;
  Write(writer, properties);
  writer.BeginDescribed(descriptor::kData);
  writer.WriteBinary(body);
  return encoded;
}

class LinksFixture : public ::testing::Test {
 protected:
  LinksFixture() {
    gate_.Open(nullptr);
    entities_.Open(broker_.broker().requests());
    QueueDescription queue;
    queue.name = "q";
    queue.lock_duration = std::chrono::seconds(30);
    EXPECT_TRUE(broker_.CreateQueue(queue).ok());
    served_ = std::make_unique<ServedConnection>(
        world_, ServedConnection::Client{.peer = "10.0.0.9:7", .subject = {}},
        [this](const std::function<void()>& what) {
          if (served_ != nullptr) what();
        },
        now_);
    client_.Enter();
  }

  std::string Hear() {
    if (served_ != nullptr) served_->NoteWritten(now_);
    broker_.Run();
    if (served_ == nullptr) return {};
    served_->Work(now_);
    return served_->TakeOutput(now_);
  }
  void GoAway() { const auto gone = std::move(served_); }

  void AttachSender(const std::string& address = "q") {
    client_.SayAttach("s", 0, Role::kSender, address);
    client_.Hear(" flow{");
  }
  static Attach Receiver(std::string name, std::uint32_t handle, std::string address) {
    Attach attach;
    attach.name = std::move(name);
    attach.handle = handle;
    attach.role = Role::kReceiver;
    attach.source.emplace().address = std::move(address);
    attach.target.emplace(Target());
    return attach;
  }
  // A queue with sessions, and a link of the handle 1 that wants one; null: the next.
  void CreateSessions() {
    QueueDescription queue;
    queue.name = "letters";
    queue.requires_session = true;
    queue.lock_duration = std::chrono::seconds(30);
    EXPECT_TRUE(broker_.CreateQueue(queue).ok());
  }
  void SayWantsSession(const std::optional<std::string>& id, std::uint32_t timeout_ms = 60'000) {
    Attach attach = Receiver("r", 1, "letters");
    attach.source->filter.emplace().Add(Value(Symbol{"com.microsoft:session-filter"}),
                                        id.has_value() ? Value(std::string(*id)) : Value());
    attach.properties.emplace().Add(Value(Symbol{"com.microsoft:timeout"}), Value(timeout_ms));
    client_.Say(attach);
  }
  void SendInSession(const std::string& id, const std::string& body) {
    Message message;
    message.session_id = id;
    message.body = body;
    std::vector<Message> messages;
    messages.push_back(std::move(message));
    EXPECT_TRUE(broker_.Send("letters", std::move(messages)).ok());
  }
  void AttachReceiver(const std::string& address = "q") {
    client_.SayAttach("r", 1, Role::kReceiver, address);
    client_.Hear(" attach{name=\"r\"");
  }
  // One that receives and deletes.
  void AttachConsumer() {
    Attach consumes = Receiver("r", 1, "q");
    consumes.snd_settle_mode = SenderSettleMode::kSettled;
    client_.Say(consumes);
    client_.Hear(" attach{name=\"r\"");
  }
  static constexpr std::uint32_t kControl = 20;
  void AttachControl() {
    Attach attach;
    attach.name = "control";
    attach.handle = kControl;
    attach.role = Role::kSender;
    attach.source.emplace();
    attach.target = Coordinator();
    attach.initial_delivery_count = 0;
    client_.Say(attach);
    client_.Hear(" flow{");
  }
  template <typename Control>
  static std::string ControlMessageOf(const Control& control) {
    std::string message;
    Writer writer(message);
    writer.BeginDescribed(descriptor::kAmqpValue);
    Write(writer, control);
    return message;
  }
  // Its id; empty: it was refused.
  Binary Declare() {
    client_.SayTransfer(kControl, ControlMessageOf(amqp::Declare()));
    const std::string line = client_.Hear(" disposition{");
    const std::size_t begin = line.find("txn-id=b'");
    if (begin == std::string::npos) return {};
    const std::size_t end = line.find('\'', begin + 9);
    return {absl::HexStringToBytes(line.substr(begin + 9, end - begin - 9))};
  }
  void SayDischarge(const Binary& txn_id, bool fail = false) {
    client_.SayTransfer(kControl,
                        ControlMessageOf(amqp::Discharge{.txn_id = txn_id, .fail = fail}));
  }
  // The line of the answer.
  std::string Discharge(const Binary& txn_id, bool fail = false) {
    SayDischarge(txn_id, fail);
    return client_.Hear(" disposition{");
  }
  static DeliveryState In(const Binary& txn_id, std::optional<Outcome> outcome = std::nullopt) {
    return TransactionalState{.txn_id = txn_id, .outcome = std::move(outcome)};
  }
  // What the client says of a delivery, in the first of two phases.
  std::string Dispose(DeliveryState state, std::uint32_t delivery = 0) {
    Disposition disposition;
    disposition.role = Role::kReceiver;
    disposition.first = delivery;
    disposition.state = std::move(state);
    client_.Say(disposition);
    return client_.Hear(" disposition{");
  }
  std::vector<wharf::Delivered> Receive(const std::string& path = "q") {
    return *broker_.Receive(path, 10);
  }

  QuietLog quiet_;
  EngineHarness broker_;
  GuardGate gate_;
  DoorLimits limits_;
  BrokerDoor entities_;
  std::function<Timestamp()> wall_ = [] { return kHarnessStart; };
  amqp::Open open_;
  LogLimit log_limit_{Duration(0)};
  DoorCounts counts_;
  LogLimit told_limit_{Duration(0)};
  DoorWorld world_{limits_, gate_, entities_, wall_, open_, log_limit_, counts_, told_limit_};
  ServedConnection::Instant now_{};
  std::unique_ptr<ServedConnection> served_;
  // What the client says waits there, while there is one.
  std::optional<std::string> together_;
  DoorClient client_{{.say =
                          [this](std::string_view bytes) {
                            if (together_) return void(together_->append(bytes));
                            served_->Feed(bytes, now_);
                          },
                      .hear = [this] { return Hear(); }}};
};

}  // namespace wharf::amqp

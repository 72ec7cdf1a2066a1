// JmsFixture: clients of the door that say what JMS clients say, over a broker in memory, all on
// the thread of the test. There are the queue `q` and the topic `t`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "broker/doors/amqp/connection/served_connection.h"
#include "broker/doors/amqp/endpoint/protocol_header.h"
#include "broker/doors/amqp/entities/broker_door.h"
#include "tests/amqp/connection/door_client.h"
#include "tests/harness/engine_harness.h"
#include "tests/quiet_log.h"

namespace wharf::amqp {

class JmsFixture : public ::testing::Test {
 protected:
  // One client and our side of its connection.
  struct Guest {
    std::shared_ptr<std::unique_ptr<ServedConnection>> served;
    std::unique_ptr<DoorClient> client;

    DoorClient* operator->() const { return client.get(); }
    // As when the socket breaks.
    void Drop() const { const auto gone = std::move(*served); }
  };

  explicit JmsFixture(bool serves_jms = true) : entities_(serves_jms) {
    if (!serves_jms) world_.client_ids = nullptr;
    gate_.Open(nullptr);
    QueueDescription queue;
    queue.name = "q";
    EXPECT_TRUE(broker_.CreateQueue(queue).ok());
    QueueDescription topic;
    topic.name = "t";
    EXPECT_TRUE(broker_.Create(EntityKind::kTopic, topic).ok());
    entities_.Open(broker_.broker().requests());
    broker_.Run();
  }

  Guest Connect() {
    Guest guest;
    guest.served = std::make_shared<std::unique_ptr<ServedConnection>>();
    *guest.served = std::make_unique<ServedConnection>(
        world_, ServedConnection::Client{.peer = "10.0.0.9:7", .subject = {}},
        [alive = std::weak_ptr(guest.served)](const std::function<void()>& what) {
          const auto served = alive.lock();
          if (served != nullptr && *served != nullptr) what();
        },
        now_);
    const auto served = guest.served;
    guest.client = std::make_unique<DoorClient>(DoorClient::Wire{
        .say = [this, served](std::string_view bytes) { (*served)->Feed(bytes, now_); },
        .hear = [this, served] { return Hear(*served); }});
    return guest;
  }
  std::string Hear(const std::unique_ptr<ServedConnection>& served) {
    if (served != nullptr) served->NoteWritten(now_);
    broker_.Run();
    if (served == nullptr) return {};
    served->Work(now_);
    return served->TakeOutput(now_);
  }

  // The line of the open that answers it.
  static std::string SayOpen(const Guest& guest, const std::string& container_id,
                             const std::vector<std::string>& desired,
                             const std::optional<std::string>& plain = std::nullopt) {
    guest->Login(plain.has_value() ? "PLAIN" : "ANONYMOUS", plain);
    guest->SayBytes(HeaderOf(Protocol::kAmqp));
    Open open;
    open.container_id = container_id;
    open.max_frame_size = 65536;
    for (const std::string& each : desired) open.desired_capabilities.push_back({each});
    guest->Say(open);
    return guest->Hear(" open{");
  }
  // As qpid-jms says it; `plain`: what it says to SASL, else nothing.
  Guest Enter(const std::string& client_id,
              const std::optional<std::string>& plain = std::nullopt) {
    Guest guest = Connect();
    SayOpen(guest, client_id,
            {"sole-connection-for-container", "DELAYED_DELIVERY", "ANONYMOUS-RELAY", "SHARED-SUBS"},
            plain);
    guest->Begin();
    return guest;
  }

  static std::string Plain(const std::string& rule, const std::string& key) {
    return std::string(1, '\0') + rule + std::string(1, '\0') + key;
  }

  static Attach Consumer(std::string name, std::uint32_t handle, std::string address,
                         const std::vector<std::string>& capabilities) {
    Attach attach;
    attach.name = std::move(name);
    attach.handle = handle;
    attach.role = Role::kReceiver;
    attach.snd_settle_mode = SenderSettleMode::kUnsettled;
    Source& source = attach.source.emplace();
    source.address = std::move(address);
    source.expiry_policy = TerminusExpiryPolicy::kLinkDetach;
    for (const std::string& each : capabilities) source.capabilities.push_back({each});
    attach.target.emplace(Target());
    return attach;
  }
  static Attach Durable(std::string name, std::uint32_t handle, std::string address = "t",
                        const std::vector<std::string>& more = {}) {
    std::vector<std::string> capabilities = {"topic"};
    capabilities.insert(capabilities.end(), more.begin(), more.end());
    Attach attach = Consumer(std::move(name), handle, std::move(address), capabilities);
    attach.source->durable = TerminusDurability::kUnsettledState;
    attach.source->expiry_policy = TerminusExpiryPolicy::kNever;
    attach.source->distribution_mode = Symbol{"copy"};
    return attach;
  }
  static void AddSelector(Attach& attach, const std::string& selector) {
    if (!attach.source->filter.has_value()) attach.source->filter.emplace();
    attach.source->filter->Add(
        Value(Symbol{"jms-selector"}),
        Value(Described{Value(std::uint64_t{0x468C00000004}), Value(std::string(selector))}));
  }
  static Attach Producer(std::string name, std::uint32_t handle,
                         std::optional<std::string> address) {
    Attach attach;
    attach.name = std::move(name);
    attach.handle = handle;
    attach.role = Role::kSender;
    attach.source.emplace();
    Target target;
    target.address = std::move(address);
    attach.target = std::move(target);
    attach.initial_delivery_count = 0;
    return attach;
  }
  static Attach Temporary(std::string name, std::uint32_t handle, const std::string& capability) {
    Attach attach = Producer(std::move(name), handle, std::nullopt);
    auto& target = std::get<Target>(*attach.target);
    target.dynamic = true;
    target.capabilities.push_back({capability});
    return attach;
  }
  static Attach Unsubscribe(std::string name, std::uint32_t handle,
                            const std::vector<std::string>& desired) {
    Attach attach;
    attach.name = std::move(name);
    attach.handle = handle;
    attach.role = Role::kReceiver;
    attach.target.emplace(Target());
    for (const std::string& each : desired) attach.desired_capabilities.push_back({each});
    return attach;
  }
  // The line of the attach, behind which a detach may come.
  static std::string Say(const Guest& guest, const Attach& attach) {
    guest->Say(attach);
    return guest->Hear(" attach{name=\"" + attach.name + "\"");
  }
  static void SayDetach(const Guest& guest, std::uint32_t handle, bool is_closed) {
    Detach detach;
    detach.handle = handle;
    detach.closed = is_closed;
    guest->Say(detach);
  }

  std::vector<std::string> SubscriptionsOf(const std::string& topic) {
    ListSubscriptionsRequest request{.topic = topic, .after = {}, .count_max = 2000};
    const auto page = broker_.Await<QueuePage>([&](Answer<QueuePage> answer) {
      broker_.broker().requests().Ask(Caller(), request, std::move(answer));
    });
    std::vector<std::string> names;
    for (const QueueSnapshot& each : page->queues) {
      names.push_back(each.record.description.name.substr(topic.size() + 15));
    }
    return names;
  }
  void Publish(const std::string& body, PropertyMap properties = {}) {
    Message message;
    message.body = body;
    message.application_properties = std::move(properties);
    std::vector<Message> messages;
    messages.push_back(std::move(message));
    EXPECT_TRUE(broker_.Send("t", std::move(messages)).ok());
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
  ClientIds client_ids_;
  DoorWorld world_{limits_,    gate_,   entities_,   wall_,       open_,
                   log_limit_, counts_, told_limit_, &client_ids_};
  ServedConnection::Instant now_{};
};

}  // namespace wharf::amqp

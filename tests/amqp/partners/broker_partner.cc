// amqp_broker_partner: the door with a whole broker behind it, in memory, for partners of another
// make. Says its port, and sends everybody away when stdin ends.
//
// There are the queue `q`, the topic `t` and its subscription `s`; nobody has to prove anything.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "broker/doors/amqp/connection/amqp_server.h"
#include "broker/doors/amqp/entities/broker_door.h"
#include "tests/harness/engine_harness.h"

namespace wharf::amqp {
namespace {

constexpr std::chrono::milliseconds kStopPatience{2000};

Status Make(EngineHarness& broker, EntityKind kind, const std::string& name) {
  QueueDescription description;
  description.name = name;
  return broker.Create(kind, description);
}

Status Serve() {
  EngineHarness broker;
  WHARF_RETURN_IF_ERROR(Make(broker, EntityKind::kQueue, "q"));
  WHARF_RETURN_IF_ERROR(Make(broker, EntityKind::kTopic, "t"));
  WHARF_RETURN_IF_ERROR(Make(broker, EntityKind::kSubscription, "t/Subscriptions/s"));
  auto listener = Listener::Bind({.endpoint = {boost::asio::ip::make_address("127.0.0.1"), 0}},
                                 /*descriptors_max=*/1 << 16);
  if (!listener.ok()) return listener.status();
  const int port = (*listener)->port();
  GuardGate gate;
  gate.Open(nullptr);
  BrokerDoor door;
  door.Open(broker.broker().requests());
  AmqpServer server({}, {.version = "0"}, gate, door, [&broker] { return broker.clock().Now(); });
  std::vector<Doorway> doorways;
  doorways.push_back({.listener = *std::move(listener)});
  WHARF_RETURN_IF_ERROR(server.Listen(std::move(doorways)));
  std::printf("%d\n", port);
  std::fflush(stdout);
  // The broker has one thread, which is this one; who wants it to end posts something.
  std::atomic<bool> is_over = false;
  std::thread reader([&] {
    while (std::getchar() != EOF) {
    }
    server.Stop(kStopPatience);
    is_over = true;
    broker.work().Post(0, [] {});
  });
  broker.work().RunUntil([&is_over] { return is_over.load(); });
  reader.join();
  return {};
}

}  // namespace
}  // namespace wharf::amqp

int main() {
  const wharf::Status served = wharf::amqp::Serve();
  if (!served.ok()) std::fprintf(stderr, "%s\n", served.message().c_str());
  return served.ok() ? 0 : 1;
}

// amqp_door_partner: the connections of the AMQP door, with queues in memory behind them, for
// partners of another make. Says its two ports, without and with TLS, and the file of the authority
// that the second is believed by; sends everybody away when stdin ends.
//
//   amqp_door_partner FOLDER      of its own, for certificates
//
// The namespace has the rule `root`, and the queue `orders` has `sender` and `reader`.
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "broker/access/guard.h"
#include "broker/doors/amqp/connection/amqp_server.h"
#include "replication/identity/peer_authority.h"
#include "storage/base/clock.h"
#include "tests/access/sample_rules.h"
#include "tests/amqp/partners/tiny_door.h"

namespace wharf::amqp {
namespace {

using access::Right;
using access::SampleRule;

constexpr std::chrono::milliseconds kStopPatience{2000};

Timestamp Now() { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }

access::Book Rules() {
  return access::Book()
      .With("", SampleRule("root", Right::kManage))
      .With("orders", SampleRule("sender", Right::kSend))
      .With("orders", SampleRule("reader", Right::kListen));
}

Result<Doorway> Open(std::shared_ptr<const Certificates> certificates) {
  auto listener = Listener::Bind({.endpoint = {boost::asio::ip::make_address("127.0.0.1"), 0}},
                                 /*descriptors_max=*/1 << 16);
  if (!listener.ok()) return listener.status();
  return Doorway{.listener = *std::move(listener), .certificates = std::move(certificates)};
}

Result<std::shared_ptr<Certificates>> Issue(const std::string& folder, std::string& authority) {
  ManualClock clock(Now());
  auto made = PeerAuthority::Make(folder, clock);
  if (!made.ok()) return made.status();
  const auto files = made->IssueCertificate("door", {"127.0.0.1"});
  if (!files.ok()) return files.status();
  authority = files->authority;
  return Certificates::Load({.certificate = files->certificate, .key = files->key});
}

Status Serve(const std::string& folder) {
  std::string authority;
  auto certificates = Issue(folder, authority);
  if (!certificates.ok()) return certificates.status();
  std::vector<Doorway> doorways;
  for (const auto& of_doorway : {std::shared_ptr<Certificates>(), *certificates}) {
    Result<Doorway> doorway = Open(of_doorway);
    if (!doorway.ok()) return doorway.status();
    doorways.push_back(*std::move(doorway));
  }
  const int plain = doorways[0].listener->port();
  const int tls = doorways[1].listener->port();
  access::Guard guard(std::make_shared<const access::Book>(Rules()), &Now);
  GuardGate gate;
  gate.Open(&guard);
  TinyDoor door;
  AmqpServer server({}, {.version = "0"}, gate, door, &Now, /*threads=*/1);
  WHARF_RETURN_IF_ERROR(server.Listen(std::move(doorways)));
  std::printf("%d %d %s\n", plain, tls, authority.c_str());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  server.Stop(kStopPatience);
  return {};
}

}  // namespace
}  // namespace wharf::amqp

int main(int count, char** words) {
  if (count != 2) {
    std::fprintf(stderr, "usage: amqp_door_partner FOLDER\n");
    return 2;
  }
  const wharf::Status served = wharf::amqp::Serve(words[1]);
  if (!served.ok()) std::fprintf(stderr, "%s\n", served.message().c_str());
  return served.ok() ? 0 : 1;
}

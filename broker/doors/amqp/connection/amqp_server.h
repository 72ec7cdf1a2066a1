// AmqpServer: serves clients over AMQP 1.0, plain and with TLS, on threads of its own.
//
// Knows who is connected and how many may be; what a client may do is ServedConnection's, and what
// its links do is the EntityDoor's. Made before it listens; whoever makes it says what there is
// behind its guard by the gate. Used by AmqpDoor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "broker/doors/amqp/connection/door_counts.h"
#include "broker/doors/amqp/connection/door_limits.h"
#include "broker/doors/amqp/connection/entity_links.h"
#include "broker/doors/common/client_taker.h"
#include "broker/doors/common/doorway.h"
#include "broker/doors/common/elsewhere.h"
#include "broker/doors/common/guard_gate.h"
#include "broker/requests/connection_control.h"
#include "storage/base/descriptor.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf::amqp {

class AmqpServer {
 public:
  struct Identity {
    std::string container_id = "wharf";
    std::string version{};
    // Client ids and capabilities, and links that have no address.
    bool serves_jms = false;
  };
  // Of the machine.
  using WallClock = std::function<Timestamp()>;

  // The gate and the entities outlive it.
  AmqpServer(const DoorLimits& limits, const Identity& identity, const GuardGate& gate,
             EntityDoor& entities, WallClock wall, std::size_t threads = 2);
  ~AmqpServer();

  // Lets clients in. Once. `elsewhere` is asked while there is no broker here.
  Status Listen(std::vector<Doorway> doorways, Elsewhere elsewhere = {});
  // One that somebody else let in, from the address that is told, as if it had come to the first
  // doorway that is like that one; it is not taken elsewhere. Any thread.
  Status Take(Descriptor connection, bool has_tls, std::string client);
  // As ClientTaker says. Whoever hands a client over stays until all that there are have gone; no
  // room outlives this.
  std::unique_ptr<ClientTaker::Room> Reserve();
  // From now on; none that is open ends. Any thread.
  void SetConnectionsMax(std::size_t count);
  // From now on, also of links that there are: DoorWorld::link_idle_max. Any thread.
  void SetLinkIdleMax(std::chrono::milliseconds max);
  // Tells all that there are why they must go, with the condition of the reason, when what they
  // asked is answered; others may come.
  void CloseAll(const Status& reason);
  // Ends all that there are, as if their clients had gone; others may come.
  void DropAll();
  // Lets nobody in any more. Once.
  void LetNobodyIn();
  // Lets nobody in any more, tells all that there are, and is over when they have gone, or their
  // time is; then nothing of it runs any more.
  void Stop(std::chrono::milliseconds patience);

  // As ConnectionControl tells it. Any thread.
  std::vector<ConnectionInfo> List(std::uint64_t after, std::size_t count_max) const;
  Status Close(std::uint64_t id);

  // That there are now, or have a room; that came, and that were one too many, since it began. Any
  // thread.
  std::size_t connections() const;
  std::uint64_t accepted() const;
  std::uint64_t refused() const;
  const DoorCounts& counts() const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace wharf::amqp

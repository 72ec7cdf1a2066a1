// ConnectionControl: who is connected to a door, and how an operator sends a client away.
//
// Implemented by AmqpDoor; asked by the door that operators come in by, on any thread. Answers at
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

struct ConnectionInfo {
  // Of this run of the daemon; none is given twice.
  std::uint64_t id = 0;
  // Where the client comes from (Caller::peer).
  std::string peer{};
  // Path and name of the rule that gave its last link its right (Permit::Owner); empty: nobody has
  // to prove anything, or it has no link yet.
  std::string rule{};
  // By the clock of the machine.
  Timestamp since{};
  // To entities.
  std::uint64_t links = 0;
  // Deliveries, both ways, within the last second.
  std::uint64_t unsettled = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t sent_bytes = 0;
};

class ConnectionControl {
 public:
  virtual ~ConnectionControl() = default;
  // The next ones behind that id, in their order.
  virtual std::vector<ConnectionInfo> List(std::uint64_t after, std::size_t count_max) const = 0;
  // Tells the client why it goes, when what it asked is answered; MessagingEntityNotFound: there is
  // no such connection (any more).
  virtual Status Close(std::uint64_t id) = 0;
};

}  // namespace wharf

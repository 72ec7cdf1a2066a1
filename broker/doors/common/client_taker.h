// ClientTaker: a door that takes clients who came in at another one, and serves them as its own.
//
// The AMQP door is one, for those who come over HTTP as WebSockets. Any thread.
#pragma once

#include <memory>
#include <string>

#include "broker/doors/common/handed_stream.h"

namespace wharf {

struct HandedClient {
  // See PeerText.
  std::string peer;
  // Of the certificate that it has proven itself with; empty: it has none.
  std::string subject;
  HandedStream stream;
};

class ClientTaker {
 public:
  // For one client, which counts as open from now on; given back when it goes without it.
  class Room {
   public:
    virtual ~Room() = default;
    // Once, on the executor of the client's stream.
    virtual void Take(HandedClient client) = 0;
  };

  virtual ~ClientTaker() = default;

  // Nothing: no more may come, and this one counts as turned away.
  virtual std::unique_ptr<Room> Reserve() = 0;
};

}  // namespace wharf

// ClientTaker: a door that takes clients who came in at another one, and serves them as its own.
//
// The AMQP door is one, for those who come over HTTP as WebSockets. Any thread.
#pragma once

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
  virtual ~ClientTaker() = default;

  // Whether one more may come. One that may not counts as turned away.
  virtual bool HasRoom() = 0;
  // On the executor of its stream. One too many is dropped: others may have come since.
  virtual void Take(HandedClient client) = 0;
};

}  // namespace wharf

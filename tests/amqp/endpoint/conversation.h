// Conversation: two endpoints that speak to each other through byte buffers, in pieces of any size,
// by a seed. One dials and one accepts; what each hears is handled by whoever made it.
#pragma once

#include <functional>
#include <random>
#include <string>

#include "broker/doors/amqp/endpoint/connection.h"
#include "tests/amqp/codec/random_value.h"

namespace wharf::amqp {

class Conversation {
 public:
  // Whose event it is stands before it.
  using Handler = std::function<void(Connection& endpoint, Event& event)>;

  Conversation(EndpointOptions dials, EndpointOptions accepts, Generator& random);

  Connection& dialler() { return dialler_.endpoint; }
  Connection& acceptor() { return acceptor_.endpoint; }

  // Until neither has anything to say.
  void Run(const Handler& on_dialler, const Handler& on_acceptor);

 private:
  struct End {
    End(EndpointOptions options, Connection::Instant now) : endpoint(std::move(options), now) {}
    Connection endpoint;
    // On its way to it.
    std::string bytes;
  };

  bool Move(End& from, End& to, const Handler& handler);
  void Hear(End& end, const Handler& handler);

  Generator& random_;
  const Connection::Instant now_{};
  End dialler_;
  End acceptor_;
};

}  // namespace wharf::amqp

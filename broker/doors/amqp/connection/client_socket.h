// ClientSocket: the socket of one ServedConnection: reads, writes and waits, and decides nothing.
//
// Its bytes come over a socket of its own, plain or with TLS, or over a stream that another door
// hands over (common/client_taker.h). One strand for each. A piece is read when what was read
// before has been heard, and written when the one before has left; so what a client makes us hold
// is what DoorLimits say. Lives as long as something is under way on it. Made by AmqpServer.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <boost/asio/generic/stream_protocol.hpp>

#include "broker/doors/amqp/connection/served_connection.h"
#include "broker/doors/common/client_taker.h"
#include "broker/doors/common/doorway.h"

namespace wharf::amqp {

class ClientSocket {
 public:
  virtual ~ClientSocket() = default;

  virtual void Start() = 0;
  // Tells the client why, and ends when it has closed, or has had the time to. Any thread.
  virtual void Close(Status reason) = 0;
  // Ends it now. Any thread.
  virtual void Drop() = 0;
  // What operators are told of it. Any thread.
  virtual ConnectionInfo info() const = 0;
};

// Takes the socket over, whose executor is its strand. `ended` is called when it is gone. `id`: of
// the connection, for operators. `client`: where it comes from; empty: from the other end of the
// socket.
std::shared_ptr<ClientSocket> MakeClientSocket(std::uint64_t id,
                                               boost::asio::generic::stream_protocol::socket socket,
                                               const Doorway& doorway, const DoorWorld& world,
                                               std::string client, std::function<void()> ended);
// The same of one that another door has let in.
std::shared_ptr<ClientSocket> MakeClientSocket(std::uint64_t id, HandedClient client,
                                               const DoorWorld& world, std::function<void()> ended);

}  // namespace wharf::amqp

// PeerAcceptor: the port at which a node's peers find it.
//
// Bound before the strand runs; then used on the strand of the peers.
#pragma once

#include <cstdint>
#include <functional>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "replication/peers/admission/peer_security.h"
#include "replication/peers/streams/strand_timer.h"
#include "storage/base/log_limit.h"
#include "storage/base/status.h"

namespace wharf {

class PeerAcceptor {
 public:
  using Accepted = std::function<void(boost::asio::ip::tcp::socket)>;

  PeerAcceptor(const boost::asio::any_io_executor& strand, const PeerSecurity& security);

  // Has the port from now on; port 0 is any free one. Refuses what would let strangers in.
  Result<std::uint16_t> Bind(const boost::asio::ip::tcp::endpoint& endpoint);
  // Whoever uses it keeps itself until Stop.
  void Start(Accepted accepted);
  void Stop();

 private:
  void AcceptNext();
  void OnAccept(const boost::system::error_code& error, boost::asio::ip::tcp::socket socket);
  void PauseAfter(const boost::system::error_code& error);

  const PeerSecurity security_;
  Accepted accepted_;
  boost::asio::ip::tcp::acceptor acceptor_;
  StrandTimer pause_;
  LogLimit warnings_{std::chrono::seconds(10)};
};

}  // namespace wharf

// PeerProxy: the network between the nodes of a cluster, each direction of which can be cut,
// stalled and healed by itself. What the nodes say passes as bytes, TLS untouched.
//
//   node n1 --dials--> port of n2 here --dials--> where n2 listens
//
// Each node is told to the others at a port of the proxy's. Who dials there is known by its process
// (socket_owner.h). A direction that is cut loses what is said, and says nothing of it, as a
// network does: both ends find out by themselves. What has lost bytes is ended when it heals, as
// nothing could mend it. A direction that is stalled delivers late.
//
// Of each connection it holds one piece of bytes in each direction, at most 64 KiB, and it has at
// most 256 connections. A thread of its own does all of it; the functions may be called on any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <boost/asio/ip/tcp.hpp>

#include "storage/base/status.h"

namespace wharf::crash {

enum class Passage : std::uint8_t { kOpen, kStalled, kCut };

class PeerProxy {
 public:
  // The name of the node that dials from there; empty: of none, and it is let in nowhere. Called on
  // the proxy's thread.
  using WhoDials = std::function<std::string(const boost::asio::ip::tcp::endpoint& from)>;

  explicit PeerProxy(WhoDials who_dials);
  // Ends all connections.
  ~PeerProxy();

  // Lets others in to this node, which listens at `target`; at port 0: at any. The port.
  Result<std::uint16_t> Add(const std::string& node, const std::string& target,
                            std::uint16_t port = 0);
  // What `from` says to `to`; in force when it returns, as is Heal.
  void Set(const std::string& from, const std::string& to, Passage passage);
  // All of them are open.
  void Heal();

 private:
  class Room;
  class Connection;

  // On the thread of the proxy; its result.
  template <typename Work>
  auto Do(Work work);

  const std::shared_ptr<Room> room_;
  std::thread thread_;
};

}  // namespace wharf::crash

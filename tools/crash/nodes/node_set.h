// NodeSet: the nodes of one cluster, all on this machine; makes a cluster of them, finds who leads,
// and waits until all of them have everything.
//
// Made and used on the run's thread, on which the processes are started.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "storage/base/status.h"
#include "storage/base/time.h"
#include "tools/client/client.h"
#include "tools/crash/nodes/node.h"
#include "tools/crash/proxy/peer_proxy.h"

namespace wharf::crash {

class NodeSet {
 public:
  struct Options {
    std::string program;
    // Each node has its data in a folder of its own in it.
    std::string folder;
    std::size_t count = 3;
  };

  explicit NodeSet(Options options);

  // Once: starts all of them, and returns when they are one cluster in which all vote.
  Status Found();

  std::size_t size() const { return nodes_.size(); }
  Node& at(std::size_t node) { return *nodes_[node]; }
  // How many of them need to agree.
  std::size_t majority() const { return nodes_.size() / 2 + 1; }
  // Where their clients ask, with commas between them.
  std::string addresses() const;

  // What they say to each other goes through it. Any thread.
  PeerProxy& network() { return network_; }
  // Hands leadership over; done when that is begun.
  Status Transfer(std::size_t leader, std::size_t to);

  // Who serves, in a while; an error if nobody does in time.
  Result<std::size_t> AwaitLeader(Duration patience);
  // Starts whoever does not run.
  Status StartAll();
  // Until all vote, are told of, and have applied all that is committed, in one leader's words.
  Status AwaitEqual(Duration patience);
  // Until one that was asked to end has, in order.
  Status AwaitStop(Node& node);
  // Who leads goes last, so that nobody leads after it and all end at one index.
  Status StopInOrder();
  // Of nodes that were stopped in order: an error that names the first row in which two differ.
  Status CompareStates() const;

 private:
  Status Make(const std::string& name);
  Status Add(Node& node);
  std::string WhoDials(const boost::asio::ip::tcp::endpoint& from);
  bool AllVote();
  bool AreEqual();
  Status Stop(Node& node);
  // Until it is so; an error with this sentence if it is not in time.
  template <typename Look>
  static Status Await(Duration patience, std::string_view what, Look look);

  const Options options_;
  // Complete before the first is started, as the network looks who dials.
  std::vector<std::unique_ptr<Node>> nodes_;
  PeerProxy network_;
};

}  // namespace wharf::crash

// NodeSet: the nodes of one cluster, all on this machine; makes a cluster of them, lets one more
// join and one leave, finds who leads, and waits until all of them have everything.
//
// Made and used on the run's thread, on which the processes are started; what changes no member
// and is not said to be for any thread, while that thread waits.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"
#include "storage/base/time.h"
#include "tools/client/client.h"
#include "tools/crash/nodes/node.h"
#include "tools/crash/nodes/node_network.h"
#include "tools/crash/runs/doors.h"

namespace wharf::crash {

class NodeSet {
 public:
  struct Options {
    std::string program;
    // Each node has its data in a folder of its own in it.
    std::string folder;
    std::size_t count = 3;
    // Of each daemon, beside those that make a node of it.
    std::vector<std::string> flags{};
    // The program of an older version, as which all of them begin; empty: there is none.
    std::string older{};
    // Each listens for AMQP, too.
    bool has_amqp = false;
    bool has_rest = false;
    // Each of them in a network namespace of its own, and no proxy between them.
    bool has_namespaces = false;
  };

  // The nodes wait for a sign of their leader as long as the machine is slow now.
  explicit NodeSet(Options options);

  Duration election_timeout() const { return election_timeout_; }

  // Once: starts all of them, and returns when they are one cluster in which all vote.
  Status Found();

  std::size_t size() const { return nodes_.size(); }
  Node& at(std::size_t node) { return *nodes_[node]; }
  // How many of them need to agree.
  std::size_t majority() const { return nodes_.size() / 2 + 1; }
  // Where their clients ask, with commas between them.
  std::string addresses() const;
  // Where those of AMQP ask: none, if nodes do not listen for it.
  // The same, and of every door.
  Addresses AllAddresses() const;

  // What they say to each other goes through it; there when they were founded.
  NodeNetwork& network() { return *network_; }
  // Hands leadership over; done when another one serves, or nobody has taken it.
  Status Transfer(std::size_t leader, std::size_t to);

  // A new one with an empty folder: started, and a learner when this returns; which one it is.
  Result<std::size_t> Invite();
  // The same in two steps: one that waits to be invited, and one that becomes a learner.
  Result<std::size_t> StartNew();
  Status Add(Node& node);
  // Until all of them vote, and clients are told where each of them is.
  Status AwaitVotes(Duration patience);
  bool AllVote();
  // One leaves for good, whether it runs or not: it ends, and its folder is gone. Those behind it
  // move up.
  Status Dismiss(std::string name);

  // Ends in order and starts as that version; done when all nodes are reached and have nearly
  // everything.
  Status Become(std::size_t node, Version version);
  std::size_t CountOlder() const;

  // Who serves, in a while; an error if nobody does in time.
  Result<std::size_t> AwaitLeader(Duration patience);
  // Starts whoever does not run.
  Status StartAll();
  // Until all vote, are told of, and have applied all that is committed, in one leader's words.
  Status AwaitEqual(Duration patience);
  // Until it is so; an error with this sentence if it is not in time.
  template <typename Look>
  static Status Await(Duration patience, std::string_view what, Look look);
  // Until one that was asked to end has, in order.
  Status AwaitStop(Node& node);
  // Who leads goes last, so that nobody leads after it and all end at one index.
  Status StopInOrder();
  // While all of them run: asks the cluster whether they hold the same, until it has compared all.
  // An error that names the first row in which they do not.
  Status AskWhetherEqual(Duration patience);
  // The same of nodes that were stopped in order, by their rows.
  Status CompareStates() const;
  // When nobody asks them anything any more: stops them in order, behind and before such a
  // comparison. An error if they do not hold the same.
  Status StopEqual();

  // How often one was invited in vain, and began with an empty folder again.
  std::uint64_t emptied() const { return emptied_; }

 private:
  // The next one.
  Status Make();
  std::vector<std::string> FlagsOfNode() const;
  Status MakeNetwork();
  Status Remove(const std::string& name);
  Status BeginEmpty(Node& node);
  std::string WhoDials(const boost::asio::ip::tcp::endpoint& from);
  bool AreEqual();
  bool AreReached();
  Status Stop(Node& node);

  const Options options_;
  const Duration election_timeout_;
  std::uint64_t made_ = 0;
  std::uint64_t emptied_ = 0;
  std::vector<std::unique_ptr<Node>> nodes_;
  // The same, for the network, which looks who dials.
  Mutex mutex_;
  std::vector<Node*> dialers_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<NodeNetwork> network_;
};

template <typename Look>
Status NodeSet::Await(Duration patience, std::string_view what, Look look) {
  constexpr std::chrono::milliseconds kPause(20);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!look()) {
    if (std::chrono::steady_clock::now() > deadline) {
      return {ErrorCode::kServiceTimeout, fmt::format("waited in vain until {}", what)};
    }
    std::this_thread::sleep_for(kPause);
  }
  return {};
}

}  // namespace wharf::crash

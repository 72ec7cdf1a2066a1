// Node: one node of a cluster as a child process, at addresses that it keeps over all its starts.
//
// Made and started by a NodeSet on the run's thread, which must outlive it; signals may be sent
// from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/base/status.h"
#include "storage/base/time.h"
#include "tools/client/client.h"
#include "tools/crash/machine/machine.h"
#include "tools/crash/nodes/node_network.h"
#include "tools/crash/runs/daemon.h"

namespace wharf::crash {

// Of the broker, where there are two.
enum class Version : std::uint8_t { kOlder, kNewer };

class Node {
 public:
  struct Options {
    std::string program;
    // An older version, as which it begins; empty: there is none.
    std::string older{};
    std::string data;
    std::string name;
    std::uint16_t client_port = 0;
    std::uint16_t peer_port = 0;
    // 0: it does not listen for AMQP.
    std::uint16_t amqp_port = 0;
    std::uint16_t rest_port = 0;
    NodeNetwork::Place place{};
    std::vector<std::string> flags{};
  };

  Node(const Options& options, Machine machine);

  // Until it is ready; only when it does not run.
  Status Start();
  // From the next start on.
  void BeOf(Version version);
  bool is_older() const { return is_older_; }
  bool runs() { return daemon_.pid() != 0; }
  Daemon& daemon() { return daemon_; }
  Machine& machine() { return machine_; }

  const std::string& name() const { return options_.name; }
  const std::string& data() const { return options_.data; }
  // Where its clients ask.
  const std::string& address() const { return address_; }
  // Where those of AMQP do; empty: nowhere.
  std::string amqp_address() const;
  std::string rest_address() const;
  // Where its peers find it.
  const std::string& peer_address() const { return options_.place.peer_address; }

  // What it says of the cluster; an error if it does not soon.
  Result<v1::ClusterStatus> GetStatus();
  // Makes it the first of a cluster.
  Status Found();
  // Of a node that leads: invites another one, which waits.
  Status Add(const Node& other);
  // And takes one out for good; it may be itself.
  Status Remove(const std::string& name);
  Status HandOverTo(const Node& other);
  // As well: how a comparison ended of what all of them hold, which it makes itself.
  Result<v1::VerifyStateResponse> CompareStates();
  // Whether it leads and serves clients.
  bool Serves();
  // Whether there is a member of this name, as far as it knows; nothing: it does not say.
  std::optional<bool> Knows(const std::string& name);

 private:
  void Connect();

  const Options options_;
  const std::string address_;
  Machine machine_;
  Daemon daemon_;
  bool is_older_ = false;
  // Of this start.
  std::unique_ptr<client::Client> client_;
};

}  // namespace wharf::crash

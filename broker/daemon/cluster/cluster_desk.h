// ClusterDesk: what operators ask of a cluster, in the words of the doors, answered by this
// machine's node.
//
// Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "broker/requests/cluster_control.h"
#include "replication/cluster_node/cluster_node.h"
#include "storage/base/mutex.h"

namespace wharf {

class ClusterDesk final : public ClusterControl {
 public:
  explicit ClusterDesk(ClusterNode& node) : node_(node) {}

  // This node leads, and clients are served; whoever founded hears so, and where the connection
  // string is that may do everything: empty, there is none.
  void OnServing(const std::string& root_file);
  void OnServingEnded();
  // Of a leadership that has ended.
  void CountRefused(std::uint64_t batches);
  // Asks the node how it does, for whoever asks `last` and must not wait.
  void Look();
  // As of the last look; nothing: there was none yet.
  std::optional<ClusterStatus> last() const;
  // This node stops, or is opened anew because what it was founded with is the state now. Whoever
  // founded and still waits hears that it is so, and where the connection string is, if by now.
  void Close(const std::string& root_file);

  bool has_cluster() const override { return node_.is_member(); }
  void GetStatus(Answer<ClusterStatus> answer) override;
  // Answers when this node leads, or begins again with what it has.
  void Found(Answer<ClusterFounded> answer) override;
  void Add(std::string name, std::string peer_address, Answer<std::monostate> answer) override;
  void Remove(std::string name, Answer<std::monostate> answer) override;
  void Transfer(std::string name, Answer<std::monostate> answer) override;
  void SetAddress(std::string name, std::string client_address,
                  Answer<std::monostate> answer) override;
  void VerifyState(Verify what, Answer<StateVerification> answer) override;

 private:
  void Take(const Result<NodeReport>& report);
  // What the node does not know.
  void AddOwn(ClusterStatus& status) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The node is founded, and has to lead.
  void AwaitServing(Answer<ClusterFounded> answer);
  // Of a node that does not lead: with the address of the one that does.
  ClusterNode::Done DoneOf(Answer<std::monostate> answer);
  Status WithLeader(Status refused) const;

  ClusterNode& node_;
  mutable Mutex mutex_;
  std::optional<ClusterStatus> last_ ABSL_GUARDED_BY(mutex_);
  std::uint64_t begun_ ABSL_GUARDED_BY(mutex_) = 0;
  std::uint64_t ended_ ABSL_GUARDED_BY(mutex_) = 0;
  std::uint64_t refused_ ABSL_GUARDED_BY(mutex_) = 0;
  // While clients are served.
  std::optional<std::string> root_file_ ABSL_GUARDED_BY(mutex_);
  std::optional<Answer<ClusterFounded>> founding_ ABSL_GUARDED_BY(mutex_);
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf

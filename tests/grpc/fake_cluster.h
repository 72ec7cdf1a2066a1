// FakeCluster: a cluster that says what the test wants, and remembers what was asked of it.
//
// Answers at once, on the thread that asks.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "broker/requests/cluster_control.h"
#include "storage/base/mutex.h"

namespace wharf {

class FakeCluster final : public ClusterControl {
 public:
  void SetHasCluster(bool has_cluster) { has_cluster_ = has_cluster; }
  void SetStatus(ClusterStatus status);
  void SetVerification(StateVerification verification);
  // Of every change from now on.
  void SetOutcome(Status outcome);
  // What was asked so far: "add n2 n2:5691".
  std::vector<std::string> asked() const;

  bool has_cluster() const override { return has_cluster_; }
  void GetStatus(Answer<ClusterStatus> answer) override;
  void Found(Answer<ClusterFounded> answer) override;
  void Add(std::string name, std::string peer_address, Answer<std::monostate> answer) override;
  void Remove(std::string name, Answer<std::monostate> answer) override;
  void Transfer(std::string name, Answer<std::monostate> answer) override;
  void SetAddress(std::string name, std::string client_address,
                  Answer<std::monostate> answer) override;
  void VerifyState(Verify what, Answer<StateVerification> answer) override;

 private:
  Status Note(const std::string& what);
  void AnswerChange(const std::string& what, Answer<std::monostate> answer);

  std::atomic<bool> has_cluster_ = true;
  mutable Mutex mutex_;
  ClusterStatus status_ ABSL_GUARDED_BY(mutex_);
  StateVerification verification_ ABSL_GUARDED_BY(mutex_);
  Status outcome_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> asked_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf

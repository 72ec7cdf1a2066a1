#include "tests/grpc/fake_cluster.h"

#include <utility>

namespace wharf {

void FakeCluster::SetStatus(ClusterStatus status) {
  MutexLock lock(mutex_);
  status_ = std::move(status);
}

void FakeCluster::SetVerification(StateVerification verification) {
  MutexLock lock(mutex_);
  verification_ = std::move(verification);
}

void FakeCluster::SetOutcome(Status outcome) {
  MutexLock lock(mutex_);
  outcome_ = std::move(outcome);
}

std::vector<std::string> FakeCluster::asked() const {
  MutexLock lock(mutex_);
  return asked_;
}

Status FakeCluster::Note(const std::string& what) {
  MutexLock lock(mutex_);
  asked_.push_back(what);
  return outcome_;
}

void FakeCluster::AnswerChange(const std::string& what, Answer<std::monostate> answer) {
  const Status outcome = Note(what);
  if (!outcome.ok()) return std::move(answer)(outcome);
  std::move(answer)(std::monostate());
}

void FakeCluster::GetStatus(Answer<ClusterStatus> answer) {
  ClusterStatus status;
  {
    MutexLock lock(mutex_);
    status = status_;
  }
  std::move(answer)(std::move(status));
}

void FakeCluster::Found(Answer<ClusterFounded> answer) {
  const Status outcome = Note("found");
  if (!outcome.ok()) return std::move(answer)(outcome);
  std::move(answer)(ClusterFounded{"c1"});
}

void FakeCluster::Add(std::string name, std::string peer_address, Answer<std::monostate> answer) {
  AnswerChange("add " + name + " " + peer_address, std::move(answer));
}

void FakeCluster::Remove(std::string name, Answer<std::monostate> answer) {
  AnswerChange("remove " + name, std::move(answer));
}

void FakeCluster::Transfer(std::string name, Answer<std::monostate> answer) {
  AnswerChange("transfer " + name, std::move(answer));
}

void FakeCluster::SetAddress(std::string name, std::string client_address,
                             Answer<std::monostate> answer) {
  AnswerChange("set-address " + name + " " + client_address, std::move(answer));
}

void FakeCluster::VerifyState(Verify what, Answer<StateVerification> answer) {
  const Status outcome = Note(what == Verify::kBegin ? "verify" : "look at verify");
  if (!outcome.ok()) return std::move(answer)(outcome);
  StateVerification verification;
  {
    MutexLock lock(mutex_);
    verification = verification_;
  }
  std::move(answer)(std::move(verification));
}

}  // namespace wharf

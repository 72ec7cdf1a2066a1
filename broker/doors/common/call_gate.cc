#include "broker/doors/common/call_gate.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <iterator>
#include <utility>
#include <vector>

namespace wharf {
namespace {

// Null: nobody has to prove anything.
access::Guard* IfObeyed(access::Guard* guard) {
  return guard != nullptr && guard->is_obeyed() ? guard : nullptr;
}

}  // namespace

CallGate::Ticket::Ticket(CallGate& gate, Status refusal, access::Guard* guard)
    : gate_(gate), is_valid_(false), guard_(guard), refusal_(std::move(refusal)) {}

CallGate::Ticket::Ticket(CallGate& gate, const Broker* broker, const Node* node,
                         Entries::iterator entry)
    : gate_(gate),
      is_valid_(true),
      broker_(broker),
      node_(node),
      guard_(broker != nullptr      ? broker->guard
             : node->has_no_rules() ? nullptr
                                    : IfObeyed(node->guard)),
      entry_(entry) {}

bool CallGate::Node::has_no_rules() const {
  return IfObeyed(guard) != nullptr && !cluster.has_cluster() && guard->book()->size() == 0;
}

Status CallGate::Ticket::refusal_of_strangers() const {
  if (refusal_.leader().empty()) return refusal_;
  return Status::NotOwned({}, "this node does not lead its cluster: ask the others");
}

// One that was given back may outlive the gate: a stream that has ended, and that the broker still
// tells of what was on its way to it.
CallGate::Ticket::~Ticket() {
  if (entry_) GiveBack();
}

void CallGate::Ticket::GiveBack() {
  Entries mine;  // What it captured is dropped outside the lock.
  MutexLock lock(gate_.mutex_);
  if (!entry_) return;
  mine.splice(mine.end(), gate_.entries_, *std::exchange(entry_, std::nullopt));
  if (gate_.entries_.empty()) gate_.changed_.notify_all();
}

void CallGate::Ticket::OnClose(End end) {
  Status reason;
  {
    MutexLock lock(gate_.mutex_);
    if (!entry_) return;
    if (gate_.is_open_) {
      (*entry_)->end = std::move(end);
      return;
    }
    reason = gate_.reason_;
  }
  end(reason);
}

Status CallGate::Ticket::Prove(std::string_view token) {
  return guard_ == nullptr ? Status() : Take(guard_->Prove(token));
}

Status CallGate::Ticket::ProveCertificate(std::string_view subject) {
  return guard_ == nullptr ? Status() : Take(guard_->ProveCertificate(subject));
}

Status CallGate::Ticket::Accept(access::PermitPtr permit) {
  return guard_ == nullptr ? Status() : Take(std::move(permit));
}

// A book that comes while the permit is not yet among those that are watched would be missed: so it
// is asked again when it is.
Status CallGate::Ticket::Take(Result<access::PermitPtr> permit) {
  if (!permit.ok()) return permit.status();
  permit_ = *std::move(permit);
  {
    MutexLock lock(gate_.mutex_);
    if (entry_) (*entry_)->permit = permit_;
  }
  return guard_->Check(permit_);
}

// Those that cannot be told yet are looked at again. One that is told, as in Close, may give its
// ticket back at once; it is cut off as in CutOffAll.
void CallGate::EndLapsed() {
  std::vector<std::pair<End, Status>> ends;
  {
    MutexLock lock(mutex_);
    if (!is_open_ || guard() == nullptr) return;
    for (Ticket::Entry& entry : entries_) {
      if (entry.looks_left && --*entry.looks_left == 0) entry.cut_off();
      if (entry.permit == nullptr || !entry.end) continue;
      Status ended = guard()->Check(entry.permit);
      if (ended.ok()) continue;
      entry.permit = nullptr;
      entry.looks_left = kLapseGrace / kLapsePace;
      ends.emplace_back(entry.end, std::move(ended));
    }
    tells_lapsed_ = true;
  }
  for (const auto& [end, reason] : ends) end(reason);
  MutexLock lock(mutex_);
  tells_lapsed_ = false;
  changed_.notify_all();
}

void CallGate::Open(const Broker& broker) {
  MutexLock lock(mutex_);
  assert(entries_.empty());
  broker_.emplace(broker);
  is_open_ = true;
}

void CallGate::Open(const Node& node) {
  MutexLock lock(mutex_);
  assert(entries_.empty());
  node_.emplace(node);
  is_open_ = true;
}

void CallGate::SetGuardOfRefusals(access::Guard* guard) {
  MutexLock lock(mutex_);
  guard_of_refusals_ = guard;
}

// What ends a call may know the broker, also when that call has ended by itself.
bool CallGate::is_empty() const { return entries_.empty() && !tells_lapsed_; }

access::Guard* CallGate::guard() const { return broker_ ? broker_->guard : node_->guard; }

void CallGate::Refuse(const Status& reason) {
  MutexLock lock(mutex_);
  if (!is_open_) reason_ = reason;
}

// A copy of each is called without the lock: what it ends may give its ticket back at once.
void CallGate::Close(const Status& reason) {
  std::vector<End> ends;
  {
    MutexLock lock(mutex_);
    is_open_ = false;
    reason_ = reason;
    for (const Ticket::Entry& entry : entries_) {
      if (entry.end) ends.push_back(entry.end);
    }
  }
  for (const End& end : ends) end(reason);
}

CallGate::Ticket CallGate::Enter(CutOff cut_off) {
  MutexLock lock(mutex_);
  if (is_open_) {
    entries_.push_back({std::move(cut_off), {}});
    return Ticket(*this, broker_ ? &*broker_ : nullptr, node_ ? &*node_ : nullptr,
                  std::prev(entries_.end()));
  }
  ++refused_;
  return Ticket(*this, reason_, IfObeyed(guard_of_refusals_));
}

bool CallGate::WaitUntilNone(Duration patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  MutexLock lock(mutex_);
  while (!is_empty()) {
    if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) return is_empty();
  }
  return true;
}

// Under the lock: no ticket is given back, so no call can go away, while it is cut off. gRPC calls
// nobody back inside a cancellation; it does that on threads of its own.
void CallGate::CutOffAll() {
  MutexLock lock(mutex_);
  for (const Ticket::Entry& entry : entries_) entry.cut_off();
}

void CallGate::WaitUntilQuiet(Duration quiet, Duration patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  MutexLock lock(mutex_);
  std::size_t before = 0;
  do {
    before = refused_;
    const auto until = std::min(deadline, std::chrono::steady_clock::now() + quiet);
    while (changed_.wait_until(mutex_, until) != std::cv_status::timeout) {
    }
  } while (refused_ != before && std::chrono::steady_clock::now() < deadline);
}

}  // namespace wharf

#include "broker/doors/grpc/services/open_calls.h"

#include <chrono>
#include <utility>

namespace wharf {

Status OpenCalls::Refusal() {
  return {ErrorCode::kServiceCommunicationProblem,
          "the broker is stopping; this was not done, ask again when it runs"};
}

OpenCalls::Ticket OpenCalls::Enter() {
  MutexLock lock(mutex_);
  if (is_stopping_) {
    ++refused_;
    return Ticket(nullptr);
  }
  ++open_;
  return Ticket(this);
}

OpenCalls::Ticket::~Ticket() {
  if (calls_ == nullptr) return;
  std::list<End> mine;  // What it captured is dropped outside the lock.
  MutexLock lock(calls_->mutex_);
  if (end_) mine.splice(mine.end(), calls_->ends_, *end_);
  if (--calls_->open_ == 0) calls_->changed_.notify_all();
}

void OpenCalls::Ticket::OnStop(End end) {
  {
    MutexLock lock(calls_->mutex_);
    if (!calls_->is_stopping_) {
      end_ = calls_->ends_.insert(calls_->ends_.end(), std::move(end));
      return;
    }
  }
  end();
}

// A copy of each is called without the lock: what it ends may give its ticket back at once.
void OpenCalls::Stop() {
  std::list<End> ends;
  {
    MutexLock lock(mutex_);
    is_stopping_ = true;
    ends = ends_;
  }
  for (const End& end : ends) end();
}

bool OpenCalls::WaitUntilNone(Duration patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  MutexLock lock(mutex_);
  while (open_ > 0) {
    if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) return open_ == 0;
  }
  return true;
}

void OpenCalls::WaitUntilQuiet(Duration quiet, Duration patience) {
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

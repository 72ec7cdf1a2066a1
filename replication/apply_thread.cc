#include "replication/apply_thread.h"

#include <iterator>
#include <utility>

namespace wharf {

ApplyThread::ApplyThread(World world) : world_(std::move(world)), thread_([this] { Run(); }) {}

ApplyThread::~ApplyThread() { Stop(); }

void ApplyThread::Stop() {
  {
    MutexLock lock(mutex_);
    is_stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void ApplyThread::Apply(std::vector<CommittedEntry> entries) { Queue(std::move(entries)); }

void ApplyThread::Install(RaftSnapshot snapshot) { Queue(std::move(snapshot)); }

void ApplyThread::Queue(Task task) {
  {
    MutexLock lock(mutex_);
    auto* const more = std::get_if<std::vector<CommittedEntry>>(&task);
    auto* const last =
        tasks_.empty() ? nullptr : std::get_if<std::vector<CommittedEntry>>(&tasks_.back());
    if (more != nullptr && last != nullptr) {
      std::move(more->begin(), more->end(), std::back_inserter(*last));
    } else {
      tasks_.push_back(std::move(task));
    }
  }
  wake_.notify_one();
}

void ApplyThread::Run() {
  while (const std::optional<Task> task = Take()) {
    if (const auto* const snapshot = std::get_if<RaftSnapshot>(&*task)) {
      return world_.installer.Install(*snapshot);
    }
    Status status = ApplyNow(std::get<std::vector<CommittedEntry>>(*task));
    if (!status.ok()) return world_.on_failed(std::move(status));
  }
}

std::optional<ApplyThread::Task> ApplyThread::Take() {
  MutexLock lock(mutex_);
  while (!is_stopping_ && tasks_.empty()) wake_.wait(mutex_);
  if (is_stopping_) return std::nullopt;
  Task task = std::move(tasks_.front());
  tasks_.pop_front();
  return task;
}

Status ApplyThread::ApplyNow(const std::vector<CommittedEntry>& entries) {
  WHARF_RETURN_IF_ERROR(world_.applier.Apply(entries));
  world_.on_applied({entries.back().entry.index, entries.back().entry.term}, world_.applier.last());
  return {};
}

}  // namespace wharf

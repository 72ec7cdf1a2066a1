// Recorder: writes the History of a run, from all of its threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "tools/crash/history/history.h"

namespace wharf::crash {

class Recorder {
 public:
  Tick Now() { return ++tick_; }
  static Timestamp WallTime() {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  }

  // An operation begins, and ends with the record that is added.
  template <typename Record>
  void Begin(Record& record) {
    record.begin = Now();
    record.began_at = WallTime();
  }
  template <typename Record>
  void End(Record& record, const Status& status) {
    record.end = Now();
    record.ended_at = WallTime();
    record.reply = ReplyOf(status);
  }

  QueueIndex AddQueue(QueueRecord queue);
  QueueRecord queue(QueueIndex index);
  // A send to this queue, which may forward.
  SendRecord SendTo(QueueIndex index);
  // For I5: who hands out numbers to those that receive.
  std::uint32_t NewReceiver() { return ++receivers_; }
  // A number for the state of a session.
  std::int64_t NewState() { return ++states_; }

  void Add(const LifeRecord& life) { AddTo(&History::lives, life); }
  void Add(const QueueChange& change) { AddTo(&History::queue_changes, change); }
  void Add(QueueListRecord list) { AddTo(&History::queue_lists, std::move(list)); }
  void Add(SendRecord send) { AddTo(&History::sends, std::move(send)); }
  void Add(const RepeatRecord& repeat) { AddTo(&History::repeats, repeat); }
  void Add(ReceiveRecord receive) { AddTo(&History::receives, std::move(receive)); }
  void Add(DeliveryRecord delivery) { AddTo(&History::deliveries, std::move(delivery)); }
  void Add(SettleRecord settle) { AddTo(&History::settles, std::move(settle)); }
  void Add(RenewRecord renew) { AddTo(&History::renews, std::move(renew)); }
  void Add(const CancelRecord& cancel) { AddTo(&History::cancels, cancel); }
  void Add(const MoveRecord& move) { AddTo(&History::moves, move); }
  void Add(const ActivateRecord& activation) { AddTo(&History::activations, activation); }
  void Add(const PurgeRecord& purge) { AddTo(&History::purges, purge); }
  void Add(const RedriveRecord& redrive) { AddTo(&History::redrives, redrive); }
  void Add(const JobLookRecord& look) { AddTo(&History::job_looks, look); }
  void Add(UndeferRecord undefer) { AddTo(&History::undefers, std::move(undefer)); }
  void Add(SessionAcceptRecord accept) { AddTo(&History::session_accepts, std::move(accept)); }
  void Add(SessionUseRecord use) { AddTo(&History::session_uses, std::move(use)); }
  void Add(PeekRecord peek) { AddTo(&History::peeks, std::move(peek)); }
  void Add(CensusRecord census) { AddTo(&History::censuses, std::move(census)); }

  // When nobody writes any more.
  const History& history() const ABSL_NO_THREAD_SAFETY_ANALYSIS { return history_; }

 private:
  template <typename Record>
  void AddTo(std::vector<Record> History::*records, Record record) {
    MutexLock lock(mutex_);
    (history_.*records).push_back(std::move(record));
  }

  std::atomic<Tick> tick_ = 0;
  std::atomic<std::uint32_t> receivers_ = 0;
  std::atomic<std::int64_t> states_ = 0;
  Mutex mutex_;
  History history_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf::crash

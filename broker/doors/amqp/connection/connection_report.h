// ConnectionReport: what is told of one connection to operators (ConnectionControl).
//
// Written by its ServedConnection, on the strand; read on any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "broker/requests/connection_control.h"
#include "storage/base/mutex.h"

namespace wharf::amqp {

class ConnectionReport {
 public:
  void Begin(std::string peer, Timestamp since) {
    MutexLock lock(mutex_);
    peer_ = std::move(peer);
    since_ = since;
  }
  void NoteRule(std::string rule) {
    MutexLock lock(mutex_);
    rule_ = std::move(rule);
  }
  void NoteReceived(std::uint64_t bytes) { received_ += bytes; }
  void NoteSent(std::uint64_t bytes) { sent_ += bytes; }
  void NoteLinks(std::uint64_t count) { links_ = count; }
  void NoteUnsettled(std::uint64_t count) { unsettled_ = count; }

  ConnectionInfo Read(std::uint64_t id) const {
    MutexLock lock(mutex_);
    return {.id = id,
            .peer = peer_,
            .rule = rule_,
            .since = since_,
            .links = links_,
            .unsettled = unsettled_,
            .received_bytes = received_,
            .sent_bytes = sent_};
  }

 private:
  std::atomic<std::uint64_t> links_ = 0;
  std::atomic<std::uint64_t> unsettled_ = 0;
  std::atomic<std::uint64_t> received_ = 0;
  std::atomic<std::uint64_t> sent_ = 0;
  mutable Mutex mutex_;
  std::string peer_ ABSL_GUARDED_BY(mutex_);
  std::string rule_ ABSL_GUARDED_BY(mutex_);
  Timestamp since_ ABSL_GUARDED_BY(mutex_){};
};

}  // namespace wharf::amqp

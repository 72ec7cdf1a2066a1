// ReconnectingSender: a Sender that goes on when its broker has been restarted.
//
// What the broker is known not to have taken is sent again, in its order, once the broker is back;
// what was under way when the connection broke without a word ends with Outcome::kUnknown, and is
// not sent again: only the application knows whether a message may be stored twice. With
// SenderOptions::returns_unknown messages with ids are: a queue that detects duplicates tells. When
// the patience is over everything that is left ends with why. One thread sends; callbacks run on a
// thread of gRPC or on the one that sends, and must not block.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "tools/client/client.h"
#include "tools/client/reconnection.h"

namespace wharf::client {

class ReconnectingSender {
 public:
  using Callback = Sender::Callback;

  // `client` outlives it.
  ReconnectingSender(Client& client, std::string entity_path, SenderOptions options,
                     ReconnectOptions reconnect);

  // Waits for room in the window, and for the broker.
  void Send(v1::Message&& message, Callback callback);
  // Returns when nothing is outstanding and every callback has returned. The error, if the last
  // stream broke.
  Status Flush();
  // Nothing waits any more, for room or for the broker; what is under way still gets its result.
  // Any thread.
  void Interrupt();

 private:
  // A message that a sender gave back.
  struct Returned {
    v1::Message message;
    Callback callback;
    Status reason;
  };

  std::shared_ptr<Sender> NewSender();
  std::shared_ptr<Sender> sender();
  void Return(v1::Message&& message, Callback callback, const Status& reason);
  std::deque<Returned> TakeReturned();
  static Callback CallbackOf(Returned& one);
  void SendReturned();
  bool Reconnect(const Status& reason);
  void Replace(std::shared_ptr<Sender> next);

  Client& client_;
  const std::string entity_path_;
  const SenderOptions options_;
  Reconnection reconnection_;

  // Used by the thread that sends.
  std::chrono::steady_clock::time_point opened_at_;
  Status end_;

  std::atomic<bool> has_returned_ = false;
  Mutex mutex_;
  // At most a window.
  std::deque<Returned> returned_ ABSL_GUARDED_BY(mutex_);
  bool is_interrupted_ ABSL_GUARDED_BY(mutex_) = false;
  // Null when there is no hope any more: end_ says why.
  std::shared_ptr<Sender> sender_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf::client

// ReconnectingReceiver: a Receiver that goes on when its broker has been restarted.
//
// Messages that were received before keep their locks, also over a restart, and settlements that
// were cut off are repeated once the broker is back: a message whose lock is gone by then was
// settled the first time, most likely, and else comes again. Sessions that it accepted are
// released, as they are when a Receiver ends, and accepted anew: what was not settled by then comes
// again. Without patience it is as a Receiver: a connection that breaks is the end. One thread
// receives and flushes; any thread may settle. Callbacks run on a thread of gRPC or on the one that
// receives, and must not block.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "tools/client/client.h"
#include "tools/client/reconnection.h"

namespace wharf::client {

class ReconnectingReceiver {
 public:
  // `client` outlives it.
  ReconnectingReceiver(Client& client, std::string entity_path, Receiver::Options options,
                       ReconnectOptions reconnect, Receiver::SessionCallbacks on_sessions);

  // As Receiver's. Empty, too, as long as the broker is away.
  Result<std::vector<v1::ReceivedMessage>> Receive(std::size_t messages_max, Duration patience);
  // As Receiver's; waits, too, until the broker is back.
  Result<v1::AcceptedSession> WaitForSession();
  void Interrupt();
  void RaisePrefetch(std::uint32_t prefetch_messages);
  void Settle(v1::Settlement&& settlement, Receiver::SettleCallback callback);
  Status Flush();
  Result<std::uint32_t> Drain();
  void Resume();

 private:
  // A settlement that may have to be repeated.
  struct Unsettled {
    v1::Settlement settlement;
    Receiver::SettleCallback callback;
    bool is_unknown = false;  // It may have been done.
  };
  using Messages = std::vector<v1::ReceivedMessage>;

  std::shared_ptr<Receiver> NewReceiver();
  Receiver::Options OptionsOfRest() const;
  std::shared_ptr<Receiver> receiver();
  // No messages: there is a stream again, or still none.
  Result<Messages> AfterEnd(const Status& reason, Duration patience);
  Result<Messages> AfterLoss(const Status& reason, Duration patience);
  void Replace();
  bool IsLost(const Status& status) const;
  bool IsWaitOver(const Status& status);
  void NoteAccepted(const v1::AcceptedSession& session);
  void NoteEnded(const std::string& session_lock_token);
  Status ReleaseSessions();
  void NoteReceived(std::size_t count);
  void SettleRepeatably(const std::shared_ptr<Unsettled>& unsettled);
  void PutAside(std::shared_ptr<Unsettled> unsettled, const Status& reason);
  std::vector<std::shared_ptr<Unsettled>> TakeCutOff();
  Status Repeat();
  Status RepeatOne(Unsettled& unsettled);
  bool has_cut_off();
  Status GiveUp(const Status& reason);

  Client& client_;
  const std::string entity_path_;
  Receiver::Options options_;
  Reconnection reconnection_;
  Receiver::SessionCallbacks on_sessions_;

  // Used by the thread that receives.
  std::chrono::steady_clock::time_point opened_at_;
  std::uint64_t received_ = 0;
  std::optional<Status> lost_;  // Why there is no stream at present.
  bool was_lost_ = false;       // And nothing came since.

  Mutex mutex_;
  bool is_interrupted_ ABSL_GUARDED_BY(mutex_) = false;
  // The tokens of the sessions that the stream accepted, and their ids.
  std::map<std::string, std::string> sessions_ ABSL_GUARDED_BY(mutex_);
  // At most what is locked.
  std::vector<std::shared_ptr<Unsettled>> cut_off_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<Receiver> receiver_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf::client

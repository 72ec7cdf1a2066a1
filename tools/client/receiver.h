// Receiver: gets the messages of one queue, or of its dead-letter queue, as they come.
//
// The broker sends as long as it has credit; half of the credit used, as much is granted anew.
// Messages are either handed to a callback, batch by batch, or collected for Receive. Settlements
// that wait travel together, one request per verb. On a queue that requires sessions it accepts
// one, or many, and releases them when it ends. It is one stream: when that breaks the receiver
// stays broken (ReconnectingReceiver makes new ones). Made by Client; any thread may call.
// Callbacks run on a thread of gRPC, one at a time, and must not block: from a callback only Settle
// may be called.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "storage/base/time.h"
#include "tools/client/endpoints.h"
#include "tools/client/session_option.h"
#include "tools/client/stream.h"
#include "wharf/v1/messaging.grpc.pb.h"

namespace wharf::client {

class LockKeeper;

// What became of the tokens of one Settle.
struct SettleReceipt {
  std::size_t settled_count = 0;
  // Of these, how many were cut off by a lost connection and had no lock any more when they were
  // tried again: most likely settled the first time. Only from a ReconnectingReceiver.
  std::size_t presumed_count = 0;
  std::vector<v1::TokenResult> failures = {};
};

class Receiver final : private Stream<v1::ReceiveStreamRequest, v1::ReceiveStreamResponse> {
 public:
  using MessagesCallback = absl::AnyInvocable<void(Receiver& receiver, v1::Deliveries& deliveries)>;
  // Before the first message of the session.
  using SessionAcceptedCallback =
      absl::AnyInvocable<void(Receiver& receiver, const v1::AcceptedSession& session)>;
  // Of many sessions one is not held any more; behind its last message. With an error it was lost,
  // and the tokens of its messages are void.
  using SessionEndedCallback =
      absl::AnyInvocable<void(Receiver& receiver, const v1::SessionEnded& session)>;
  struct SessionCallbacks {
    SessionAcceptedCallback on_accepted = nullptr;
    SessionEndedCallback on_ended = nullptr;
  };
  // Outcome::kUnknown: the settlement was under way when the stream broke.
  using SettleCallback = absl::AnyInvocable<void(Result<SettleReceipt>) &&>;

  struct Options {
    v1::ReceiveMode mode = v1::RECEIVE_MODE_PEEK_LOCK;
    // How many messages, and how many bytes of them, may be here or on their way without having
    // been taken.
    std::uint32_t prefetch_messages = 256;
    std::optional<std::uint64_t> prefetch_bytes = std::nullopt;
    // Never ask for more than this altogether. 0: no limit.
    std::uint64_t messages_max = 0;
    SessionOption session = {};
    // Renews the locks of messages from when they come until they are settled; outlives the
    // receiver. Not with a session: its messages are locked as long as it is (SessionKeeper).
    LockKeeper* keeper = nullptr;
  };

  // With `on_messages` every batch goes there, and is taken when the callback returns; otherwise
  // messages are taken by Receive.
  // On the endpoint that is asked now.
  Receiver(std::shared_ptr<Endpoints> endpoints, const std::string& entity_path, Options options,
           MessagesCallback on_messages, SessionCallbacks on_sessions);
  // Settlements that are outstanding are cut off; Flush first to wait for them. Messages that were
  // delivered stay locked, but for those of sessions that the receiver accepted: these are
  // released.
  ~Receiver() override;

  // Up to `messages_max` messages; waits up to `patience` for the first. Empty: none came.
  Result<std::vector<v1::ReceivedMessage>> Receive(std::size_t messages_max, Duration patience);
  // The session that was accepted last; waits for the first. An error if there will be none:
  // SessionCannotBeLocked, ServiceTimeout, or why the stream broke. A HeldSession is not accepted
  // again, so there is nothing to wait for.
  Result<v1::AcceptedSession> WaitForSession();
  // Makes Receive return at once, now and from now on. For a program that shall end.
  void Interrupt();
  // From now on so many messages may be here or on their way, if that is more than before.
  void RaisePrefetch(std::uint32_t prefetch_messages);
  // The lock duration of the entity; zero until the broker has told it.
  Duration lock_duration();

  void Settle(v1::Settlement&& settlement, SettleCallback callback);
  // Returns when every settlement has its answer and its callback has returned.
  Status Flush();

  // Asks for what is there now, and returns when it is here: how many messages more there was
  // credit for. Nothing more comes until Resume.
  Result<std::uint32_t> Drain();
  // After Drain: grants credit anew.
  void Resume();
  // Returns when the last delivery is here. Settlements go on.
  Status Stop();

 private:
  // Settlements of one verb that travel in one request.
  struct SettleBatch {
    struct Part {
      std::size_t token_count;
      SettleCallback callback;
    };
    v1::ReceiveStreamRequest request;
    std::vector<Part> parts;
  };
  // Something that waits for its answer: drain or stop.
  struct Control {
    bool is_drain;
    bool is_written = false;
    bool is_answered = false;
    std::uint32_t thrown_away = 0;
  };

  const v1::ReceiveStreamRequest* NextRequest() override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void OnWritten() override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void OnResponse(v1::ReceiveStreamResponse& response) override;
  void OnEnded(const Status& status) override;

  const v1::ReceiveStreamRequest* NextGrant() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  const v1::ReceiveStreamRequest* NextControl() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  const v1::ReceiveStreamRequest* NextSettlement() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  void OnStarted(const v1::ReceiveStarted& started);
  void OnSessionAccepted(const v1::AcceptedSession& session);
  void OnDeliveries(v1::Deliveries& deliveries);
  void OnLargeHeader(v1::LargeDeliveryHeader& header);
  void OnLargeChunk(const v1::MessageChunk& chunk);
  void OnSettled(v1::SettleOutcome& outcome);
  void OnControlAnswered(const v1::ReceiveCredit& thrown_away);
  void GiveBack(const v1::ReceiveCredit& credit) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  void Keep(const v1::ReceivedMessage& message);
  // Until something is here, or there is nothing to wait for.
  void WaitForMessages(Duration patience) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Taken(std::size_t messages, std::uint64_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Result<std::uint32_t> Execute(Control control);
  bool JoinsLastBatch(const v1::Settlement& settlement) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Enqueue(v1::Settlement&& settlement, SettleCallback callback)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Constant after construction.
  const std::shared_ptr<Endpoints> endpoints_;
  const EndpointPtr endpoint_;
  const Options options_;

  // Used by the thread that handles answers.
  MessagesCallback on_messages_;
  SessionCallbacks on_sessions_;
  v1::Deliveries large_;  // The large message that is arriving, if any.
  std::int64_t large_bytes_missing_ = 0;

  std::uint32_t prefetch_messages_ ABSL_GUARDED_BY(mutex_);
  Duration lock_duration_ ABSL_GUARDED_BY(mutex_){};
  std::deque<v1::ReceivedMessage> arrived_ ABSL_GUARDED_BY(mutex_);
  std::optional<v1::AcceptedSession> session_ ABSL_GUARDED_BY(mutex_);
  bool is_interrupted_ ABSL_GUARDED_BY(mutex_) = false;
  v1::ReceiveStreamRequest start_ ABSL_GUARDED_BY(mutex_);
  v1::ReceiveStreamRequest grant_ ABSL_GUARDED_BY(mutex_);
  v1::ReceiveStreamRequest control_ ABSL_GUARDED_BY(mutex_);
  bool is_started_ ABSL_GUARDED_BY(mutex_) = false;
  // Credit that was taken back from the prefetch and is not granted again yet.
  std::uint64_t used_messages_ ABSL_GUARDED_BY(mutex_) = 0;
  std::uint64_t used_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  // As the broker counts them.
  std::uint64_t bytes_left_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_grant_due_ ABSL_GUARDED_BY(mutex_) = false;
  // By Drain or Stop: no credit is granted.
  bool is_paused_ ABSL_GUARDED_BY(mutex_) = false;
  std::uint64_t granted_messages_ ABSL_GUARDED_BY(mutex_) = 0;
  std::deque<Control*> controls_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::unique_ptr<SettleBatch>> unsettled_ ABSL_GUARDED_BY(mutex_);
  std::map<std::uint64_t, std::unique_ptr<SettleBatch>> under_way_ ABSL_GUARDED_BY(mutex_);
  // The settlement that is being written; its answer may come before the end of the write is known.
  std::uint64_t writing_settlement_ ABSL_GUARDED_BY(mutex_) = 0;
  std::unique_ptr<SettleBatch> answered_early_ ABSL_GUARDED_BY(mutex_);
  std::uint64_t last_request_id_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace wharf::client

// HeadReceiver: one call that wants the next message of an entity, and waits for it (RST-3, RST-4).
//
// It asks as a call does that is answered once. Where a message with a large body is next, which no
// such call gets, it attaches as a receiver for that one, and streams the body from the store
// (RST-13); if somebody else has taken it meanwhile, it waits on. Lives until it has answered; the
// broker's threads.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "broker/doors/http/servicebus/call.h"
#include "storage/base/mutex.h"

namespace wharf::rest {

class HeadReceiver final : public DeliverySink, public std::enable_shared_from_this<HeadReceiver> {
 public:
  struct Wish {
    std::string path;
    Duration wait{};
    ReceiveMode mode = ReceiveMode::kPeekLock;
    // For one more answer that its client may not read; of a message that is locked it is asked
    // again when it comes.
    std::function<bool()> has_room;
  };

  // Answers the call.
  static void Begin(ServiceBusCallPtr call, Wish wish);

  HeadReceiver(ServiceBusCallPtr call, Wish wish);

  void OnDeliveries(std::vector<Delivered> deliveries) override;
  void OnDrained(Credit left) override;
  void OnStopped() override {}
  void OnDetached(Status reason) override;

 private:
  void Wait();
  void OnWaited(Result<std::vector<Delivered>> received);
  // For one that is large.
  void Attach();
  void OnAttached(const Result<Attached>& attached);
  // Nobody waits any more.
  void EndWait();
  Duration time_left() const;

  // Each answers, if nothing has.
  void AnswerWith(Delivered delivered, std::shared_ptr<ReceiverHandle> receiver);
  void AnswerNothing();
  void FailWith(const Status& status);
  bool BeginAnswer();
  std::shared_ptr<ReceiverHandle> TakeReceiver();

  const ServiceBusCallPtr call_;
  const Wish wish_;
  const std::chrono::steady_clock::time_point until_;
  Mutex mutex_;
  // The wait under way; null: there is none.
  std::shared_ptr<WaitHandle> waiting_ ABSL_GUARDED_BY(mutex_);
  // That began; one may have led to the next before its handle is there.
  int waits_ ABSL_GUARDED_BY(mutex_) = 0;
  std::shared_ptr<ReceiverHandle> receiver_ ABSL_GUARDED_BY(mutex_);
  LaneId lane_ ABSL_GUARDED_BY(mutex_);
  // How often a large message was next, and then was not to be had.
  int rounds_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_ended_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_answered_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf::rest

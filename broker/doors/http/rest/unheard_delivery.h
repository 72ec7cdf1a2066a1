// UnheardDelivery: a message that was delivered for a client which does not have it yet: it goes
// back without counting, if the client never will (LCK-14); and the receiver that it came by, if it
// needs one, goes when it is done with its body.
//
// Held by the answer that brings it; any thread.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "broker/doors/common/unheard.h"
#include "broker/doors/http/servicebus/call.h"

namespace wharf::rest {

class UnheardDelivery {
 public:
  // `receiver` is null if it came without one. `call` keeps the broker.
  UnheardDelivery(ServiceBusCallPtr call, std::string path, Delivered delivered,
                  std::shared_ptr<ReceiverHandle> receiver)
      : call_(std::move(call)),
        path_(std::move(path)),
        delivered_(std::move(delivered)),
        receiver_(std::move(receiver)) {}
  UnheardDelivery(const UnheardDelivery&) = delete;
  UnheardDelivery& operator=(const UnheardDelivery&) = delete;
  ~UnheardDelivery() {
    if (!is_heard_ && is_locked()) {
      const std::string& peer = call_->request().caller.peer;
      ReleaseUnheard(call_->requests(),
                     {.peer = peer, .door = Door::kHttp, .tracking_id = NewTrackingId()}, {path_},
                     {delivered_.token});
    }
    if (receiver_ == nullptr) return;
    receiver_->NoteWritten(1, delivered_.message->facts.size);
    if (!is_locked() && delivered_.message->facts.has_large_body()) {
      receiver_->DropBody(*delivered_.message->facts.body_ref);
    }
    receiver_->Detach();
  }

  const Delivered& delivered() const { return delivered_; }
  bool is_locked() const { return !delivered_.token.is_zero(); }
  void NoteHeard() { is_heard_ = true; }

 private:
  const ServiceBusCallPtr call_;
  const std::string path_;
  const Delivered delivered_;
  const std::shared_ptr<ReceiverHandle> receiver_;
  bool is_heard_ = false;
};

}  // namespace wharf::rest

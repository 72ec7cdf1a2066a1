// ReceiveLink: a link by which a client receives from a queue or a subscription, in peek-lock.
//
// The broker delivers on its own thread: what it delivers waits here, behind a mutex, until the
// strand of the connection takes it, which sends it, and hears what the client makes of it. What
// was never written goes back without counting (LCK-14), whatever ends the link; locks of what was
// written stay. Owned by BrokerLinks, and by the broker until it has let go of its sink.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "broker/doors/amqp/entities/link_world.h"
#include "storage/base/mutex.h"

namespace wharf::amqp {

class ReceiveLink final : public DeliverySink, public std::enable_shared_from_this<ReceiveLink> {
 public:
  ReceiveLink(LinkWorld world, access::PermitPtr permit);

  // On the strand.
  void Begin(const Attach& attach);
  void OnCredit(const CreditGiven& credit);
  // There is room again.
  void Send();
  // Of deliveries of this link.
  void OnDisposed(const std::vector<DeliveryId>& deliveries, const Disposed& disposed);
  void Renew(const access::PermitPtr& permit) { permit_ = permit; }
  // The link is over, or its connection.
  void End();

  // On the broker's thread.
  void OnDeliveries(std::vector<wharf::Delivered> deliveries) override;
  void OnDrained(Credit left) override;
  void OnStopped() override {}
  void OnDetached(Status reason) override;

 private:
  // The message that is being written.
  struct Outgoing {
    wharf::Delivered delivered;
    std::string bytes;
    std::size_t sent = 0;
    bool has_begun = false;
  };

  void OnAttached(const Result<wharf::Attached>& attached);
  // Runs Take on the strand, once for all that has come meanwhile.
  void Wake();
  void Take();
  // Tells the client why it is over.
  void Finish(const Status& reason);
  bool SendNext(Link& link);
  void EndDrain(Link& link);
  // What nobody has credit for any more.
  void HandBack();
  void Release(const TokenList& tokens) const;
  void Settle(const std::vector<DeliveryId>& deliveries, TokenList tokens, Settlement settlement,
              const Disposed& disposed);
  void OnSettled(const std::vector<DeliveryId>& deliveries, const DeliveryState& said,
                 const TrackingId& tracking_id, const Result<SettleReceipt>& receipt);
  void Answer(DeliveryId delivery, DeliveryState state);
  EntityRef entity() const {
    MutexLock lock(mutex_);
    return {world_.path, lane_};
  }

  // Constant; what it looks at is used on the strand, but for `requests`.
  const LinkWorld world_;
  const Poster post_;
  const std::string peer_;

  // Of the strand.
  access::PermitPtr permit_;
  Attach attach_;
  std::shared_ptr<ReceiverHandle> receiver_;
  std::deque<wharf::Delivered> ready_;
  std::optional<Outgoing> outgoing_;
  // Asked of the broker and not delivered.
  std::uint64_t granted_ = 0;
  bool is_draining_ = false;
  // The broker has said that there is no more of it.
  bool has_drained_ = false;
  // Of what was sent and is not settled.
  absl::flat_hash_map<DeliveryId, LockToken> locked_;

  mutable Mutex mutex_;
  // Absent before it is attached.
  std::optional<LaneId> lane_ ABSL_GUARDED_BY(mutex_);
  std::vector<wharf::Delivered> arrived_ ABSL_GUARDED_BY(mutex_);
  // The answer to a drain: what was thrown away.
  std::optional<std::uint64_t> drained_ ABSL_GUARDED_BY(mutex_);
  std::optional<Status> detached_ ABSL_GUARDED_BY(mutex_);
  bool is_woken_ ABSL_GUARDED_BY(mutex_) = false;
  // What comes now goes back at once.
  bool is_over_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf::amqp

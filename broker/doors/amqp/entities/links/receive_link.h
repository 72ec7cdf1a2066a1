// ReceiveLink: a link by which a client receives from a queue or a subscription, or from a session
// of one.
//
// The broker delivers on its own thread: what it delivers waits here, behind a mutex, until the
// strand of the connection takes it, which sends it, and hears what the client makes of it. What
// was locked and never written goes back without counting (LCK-14), whatever ends the link; locks
// of what was written stay, unless they are a session's, which goes with the link. What is gone
// with its delivery is still sent where the connection closes, as far as there is credit. Owned by
// BrokerLinks, and by the broker until it has let go of its sink.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "broker/doors/amqp/entities/links/link_world.h"
#include "broker/doors/amqp/entities/links/node_link.h"
#include "broker/doors/amqp/entities/links/outgoing_message.h"
#include "broker/doors/amqp/entities/links/receive_wish.h"
#include "storage/base/mutex.h"

namespace wharf::amqp {

class ReceiveLink final : public NodeLink,
                          public DeliverySink,
                          public std::enable_shared_from_this<ReceiveLink> {
 public:
  ReceiveLink(LinkWorld world, access::PermitPtr permit, ReceiveWish wish);

  // On the strand.
  void Begin(const Attach& attach);
  void OnCredit(const CreditGiven& credit) override;
  void OnDisposed(const std::vector<DeliveryId>& deliveries, const Disposed& disposed) override;
  void Send() override;
  void OnHeard() override { SettleKept(); }
  void OnWritten() override;
  void Renew(const access::PermitPtr& permit) override { permit_ = permit; }
  void End() override;
  void Close() override;
  // The session that it holds of this lane; null: none.
  const AcceptedSession* SessionOf(LaneId lane) const override;

  // On the broker's thread.
  void OnDeliveries(std::vector<wharf::Delivered> deliveries) override;
  void OnDrained(Credit left) override;
  void OnStopped() override;
  void OnSessionAccepted(const AcceptedSession& session) override;
  void OnDetached(Status reason) override;

 private:
  // What came from the broker and was not looked at.
  struct Arrived {
    std::optional<AcceptedSession> session{};
    std::vector<wharf::Delivered> deliveries{};
    // The answer to a drain: what was thrown away.
    std::optional<std::uint64_t> drained{};
    // Behind the last delivery.
    bool is_stopped = false;
    std::optional<Status> detached{};
  };

  // What was completed at one go.
  struct Kept {
    std::vector<DeliveryId> deliveries{};
    TokenList tokens{};
    // What is said of all of them.
    Disposed disposed{};
  };
  static constexpr std::size_t kKeptMax = 256;

  void OnAttached(const Result<wharf::Attached>& attached);
  void Accept();
  // Runs Take on the strand, once for all that has come meanwhile.
  void Wake();
  void Take();
  // Tells the client why it is over.
  void Finish(const Status& reason);
  // Asks the broker for as much as the client wants, or for less.
  void Level();
  std::uint64_t WantedOf(const Link& link) const;
  bool SendNext(Link& link);
  void Sent(DeliveryId delivery);
  void NoteUnwritten();
  void ReadMore();
  void OnChunk(const BodyRef& body, Result<std::string> chunk);
  // Asks the broker to deliver what there is for the credit, and to say when that is done.
  void BeginDrain();
  void TakeDrained(std::uint64_t left);
  void EndDrain(Link& link);
  // What nobody has credit for any more.
  void HandBack();
  // If all that is gone with its delivery has left, or nothing more can.
  void TryEndClose(const Link& link);
  // Will never be written: what is locked goes back, of what is not its large body goes.
  template <typename Deliveries>
  void Drop(const Deliveries& deliveries) const;
  void KeepCompleted(const std::vector<DeliveryId>& deliveries, const TokenList& tokens,
                     const Disposed& disposed);
  void SettleKept();
  void Settle(const std::vector<DeliveryId>& deliveries, TokenList tokens, Settlement settlement,
              const Disposed& disposed);
  std::optional<Settlement> RolledBack() const;
  // The same as a part of a transaction.
  void SettleIn(const Binary& txn_id, const std::vector<DeliveryId>& deliveries,
                const TokenList& tokens, Settlement settlement, const Disposed& disposed);
  void OnSettled(const std::vector<DeliveryId>& deliveries, const DeliveryState& said,
                 const TrackingId& tracking_id, const Result<SettleReceipt>& receipt);
  void Answer(DeliveryId delivery, DeliveryState state);
  Binary NextTag(const wharf::Delivered& delivered);
  bool is_over() const {
    MutexLock lock(mutex_);
    return is_over_;
  }
  EntityRef entity() const {
    MutexLock lock(mutex_);
    return {wish_.path, lane_};
  }

  // Constant; what it looks at is used on the strand, but for `requests`.
  const LinkWorld world_;
  const ReceiveWish wish_;
  const Poster post_;
  const std::string peer_;

  // Of the strand.
  access::PermitPtr permit_;
  Attach attach_;
  // The client's attach is answered.
  bool is_accepted_ = false;
  // What it receives tells the partition.
  bool is_partitioned_ = false;
  std::shared_ptr<ReceiverHandle> receiver_;
  std::optional<AcceptedSession> session_;
  std::deque<wharf::Delivered> ready_;
  std::optional<OutgoingMessage> outgoing_;
  // Asked of the broker and not delivered.
  std::uint64_t granted_ = 0;
  // The client wants its credit used up, or given back.
  bool is_draining_ = false;
  // The broker was asked for that, and has not said that it is done; one question at a time.
  bool is_drain_asked_ = false;
  // Behind that question the client has said something else.
  bool is_drain_stale_ = false;
  // The broker has said that it is done, and thrown away so much.
  bool has_drained_ = false;
  std::uint64_t drained_left_ = 0;
  // The connection will close, and waits for what is left.
  bool is_closing_ = false;
  bool has_stopped_ = false;
  // Of messages that are gone with their delivery: those that the socket has not taken, by the
  // number of the output that they leave with; two at most.
  std::deque<std::pair<std::uint64_t, std::uint64_t>> unwritten_;
  // Of what was sent and is not settled.
  absl::flat_hash_map<DeliveryId, LockToken> locked_;
  Kept kept_;
  std::uint64_t next_tag_ = 0;

  mutable Mutex mutex_;
  // Absent before it is attached.
  std::optional<LaneId> lane_ ABSL_GUARDED_BY(mutex_);
  Arrived arrived_ ABSL_GUARDED_BY(mutex_);
  bool is_woken_ ABSL_GUARDED_BY(mutex_) = false;
  // What comes now goes back at once.
  bool is_over_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf::amqp

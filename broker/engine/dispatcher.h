// Dispatcher: brings messages and receivers together.
//
// Receivers with credit stand in line per lane, in the order they came (STA-6); the first gets up
// to a slice of messages and goes to the end of the line, so that a large credit does not starve
// the others. Owned by the Shard, used on its thread.
#pragma once

#include <list>
#include <memory>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "broker/core/catalog.h"
#include "broker/engine/receiver.h"
#include "broker/engine/turn.h"

namespace wharf {

class Dispatcher {
 public:
  // Takes back messages whose receiver left before it heard of them (LCK-14).
  using Release = absl::AnyInvocable<void(LaneId lane, std::vector<LockToken> tokens)>;

  // Hears that a receiver left.
  using Left = absl::AnyInvocable<void(LaneId lane)>;

  // Takes back a large body whose message was taken without a lock.
  using DropBody = absl::AnyInvocable<void(const BodyRef& body)>;

  Dispatcher(std::size_t receivers_per_lane_max, Release release, Left left, DropBody drop_body);

  Result<HolderId> Attach(Receiver::Options options, std::shared_ptr<DeliverySink> sink);
  // Null if it left.
  Receiver* Find(HolderId id) const;
  // Each may be called for a receiver that left; then nothing happens.
  void Grant(HolderId id, const Credit& credit);
  void Revoke(HolderId id, const Credit& credit);
  void Drain(HolderId id);
  void Stop(HolderId id, Turn& turn);
  void Detach(HolderId id);
  // Ends its wait as if its time were over.
  void EndWait(HolderId id, Turn& turn);
  // Ends all receivers of an entity, or of the broker.
  void DetachAll(EntityId entity, const Status& reason, Turn& turn);
  void DetachEveryone(const Status& reason, Turn& turn);

  // Deliveries left for the transport.
  void NoteWritten(HolderId id, std::size_t messages, std::int64_t bytes);
  // A message that `id` held is settled or its lock ended.
  void NoteFreed(HolderId id);

  // Hands out what can be handed out. True if more could be, in another turn.
  bool Match(Queue& queue, LaneKind kind, Turn& turn);
  // Whether anyone is attached to a lane of the entity, with credit or without.
  bool HasReceivers(EntityId entity) const;
  // Whether someone on the lane has credit.
  bool IsWanted(LaneId lane) const;

  // Lanes with receivers whose time is over by `now`.
  std::vector<LaneId> TakeDueLanes(Timestamp now);
  Timestamp next_deadline() const;

 private:
  using Line = std::list<std::shared_ptr<Receiver>>;
  struct LaneState {
    Line line;                                       // With credit.
    std::vector<std::shared_ptr<Receiver>> leaving;  // Draining, or with a time to wait.
    std::size_t attached = 0;
  };

  void StandInLine(Receiver& receiver);
  void LeaveLine(Receiver& receiver);
  void ServeFirst(Queue& queue, LaneState& lane, Turn& turn, std::size_t& served);
  void Deliver(const std::shared_ptr<Receiver>& receiver, std::vector<Delivered> deliveries,
               Turn& turn);
  // What nobody heard of.
  void TakeBack(LaneId lane, const std::vector<Delivered>& deliveries);
  void FinishLeaving(const Queue& queue, LaneKind kind, LaneState& lane, Turn& turn);
  void Remove(const std::shared_ptr<Receiver>& receiver);
  void ForgetIfEmpty(LaneId lane);
  void End(const std::shared_ptr<Receiver>& receiver, const Status& reason, Turn& turn);

  const std::size_t receivers_per_lane_max_;
  Release release_;
  Left left_;
  DropBody drop_body_;
  HolderId last_id_;
  absl::flat_hash_map<HolderId, std::shared_ptr<Receiver>> receivers_;
  absl::btree_map<LaneId, LaneState> lanes_;
  absl::btree_set<std::pair<Timestamp, HolderId>> deadlines_;
};

}  // namespace wharf

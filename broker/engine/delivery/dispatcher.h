// Dispatcher: brings messages and receivers together.
//
// Receivers with credit stand in line, in the order they came (STA-6): a line for each lane, and
// one for each session that is held. The first gets up to a slice of messages and goes to the end
// of the line, so that a large credit does not starve the others. A receiver of many sessions
// stands in the line of each. One that holds as much as its connection may leaves the line until
// something is settled. Owned by the Shard, used on its thread.
//
// It has many functions because there is much that a receiver can ask and that the bases of this
// class want to know, and all of it changes which receiver stands in which line, or depends on
// that.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "broker/core/entities/catalog.h"
#include "broker/engine/delivery/ending_receivers.h"
#include "broker/engine/delivery/held_back.h"
#include "broker/engine/delivery/holders.h"
#include "broker/engine/delivery/receiver.h"
#include "broker/engine/delivery/waiting.h"
#include "broker/engine/delivery/windows.h"
#include "broker/engine/turn/registrations.h"
#include "broker/engine/turn/tasks.h"
#include "broker/engine/turn/touched_lanes.h"

namespace wharf {

class Dispatcher final : public TimedWorker,
                         public EntityListener,
                         public EntityEndListener,
                         public WindowUser,
                         public Waiting {
 public:
  // Takes back messages whose receiver left before it heard of them (LCK-14).
  using Release = absl::AnyInvocable<void(LaneId lane, std::vector<LockToken> tokens)>;

  // Hears that a receiver left, and where it had seats.
  using Left = absl::AnyInvocable<void(const Receiver& receiver, Timestamp now)>;

  // Takes back a large body whose message was taken without a lock.
  using DropBody = absl::AnyInvocable<void(const BodyRef& body)>;

  struct Limits {
    std::size_t receivers_per_lane_max;
    std::size_t locked_per_connection_max;
  };

  Dispatcher(TouchedLanes& touched, Tasks& tasks, const Limits& limits, Release release, Left left,
             DropBody drop_body);

  // It gets nothing until it has a seat. `peer`: where its connection comes from.
  Result<HolderId> Attach(Receiver::Options options, const std::string& peer,
                          std::shared_ptr<DeliverySink> sink);
  // Null if it left, or is about to end with all of its lane.
  Receiver* Find(HolderId id) const;
  std::shared_ptr<Receiver> FindShared(HolderId id) const;
  // Each may be called for a receiver that left; then nothing happens.
  void TakeSeat(HolderId id, const LineId& line,
                std::uint64_t deliveries = Seat::kUnlimitedDeliveries);
  void Grant(HolderId id, const Credit& credit);
  void Revoke(HolderId id, const Credit& credit);
  void Drain(HolderId id);
  void Stop(HolderId id, Turn& turn);
  void Detach(HolderId id, Timestamp now);
  // Ends its wait as if its time were over.
  void EndWait(HolderId id, Turn& turn);
  void End(HolderId id, const Status& reason, Turn& turn);
  // A session is over: receivers that had nothing else end, the others hear of it.
  void EndLine(const LineId& line, const EndedSession& session, Turn& turn);
  // Ends all receivers of an entity, or of the broker: a few in each turn. None of them gets
  // anything more, or counts as one.
  void DetachAll(EntityId entity, const Status& reason, Turn& turn);
  void DetachEveryone(const Status& reason, Turn& turn);

  // Deliveries left for the transport.
  void NoteWritten(HolderId id, std::size_t messages, std::int64_t bytes);
  // Messages of the lane that these held are settled, or their locks ended. A receiver that was
  // held back for it may go on.
  void NoteFreed(LaneId lane, const std::vector<HolderId>& holders, Turn& turn);
  // Ends receivers that may not receive any more.
  void OnEntityChanged(Queue& queue, Turn& turn) override;
  // Ends its receivers; its locks are gone with it.
  void OnEntityDeleted(EntityId entity, const Status& reason, Turn& turn) override;
  // Its receivers hear why they get nothing more.
  void OnUnreadable(LaneId lane, const Status& reason, Turn& turn) override;
  // Lanes where a receiver may go on since the last call.
  std::vector<LaneId> TakeWoken() { return std::exchange(woken_, {}); }
  Holders& holders() { return holders_; }

  // Hands out what can be handed out at a line. True if more could be, in another turn.
  bool Match(Queue& queue, const LineId& line, const Source& source, Turn& turn);
  // Then, once for each lane: a receiver that drains or has waited long enough leaves if nothing is
  // there for it.
  void FinishLeaving(Queue& queue, LaneKind kind, Turn& turn);
  // Sessions of the lane in whose line a receiver stands since the last call.
  std::vector<SessionSerial> TakeStirred(LaneId lane);

  // Whether receivers of the lane are ending. Nothing is handed out there until they have ended.
  bool IsEnding(LaneId lane) const { return ending_.Has(lane); }
  // Whether a receiver with credit is attached to a lane of the entity (ADI-9).
  bool HasWaiting(EntityId entity) const override;
  // Whether a receiver in the line, or on the lane, has credit.
  bool IsWanted(const LineId& line) const;
  bool IsWanted(LaneId lane) const;
  bool NeedsWindow(LaneId lane) const override { return IsWanted(lane); }
  // The first seat at a line; null if there is none.
  const Seat* FirstSeatAt(const LineId& line) const;

  // Touches lanes with receivers whose time is over.
  void PlanDue(Turn& turn) override;
  Timestamp next_deadline() const override;

 private:
  using Line = Seat::List;
  struct LineState {
    Line waiting;  // With credit.
    Line seats;
  };
  struct LaneState {
    absl::btree_set<HolderId> attached;
    // Leave when nothing is there for them: they drain, or have something of their one answer.
    absl::btree_set<HolderId> leaving;
    // Receivers that wait, and until when; then they leave, too.
    absl::btree_set<std::pair<Timestamp, HolderId>> waits;
  };

  void BeginEnding(LaneId lane, const Status& reason);
  void EndSome(Turn& turn);
  bool HasEnding();
  // Locks that are gone with their lanes.
  void ForgetSome(Turn& turn);
  void GoOnLater();
  void StandInLine(Seat& seat);
  void StandInLines(Receiver& receiver);
  void LeaveLine(Seat& seat);
  void LeaveLines(Receiver& receiver);
  static void Park(Seat& seat);
  void LeaveSeat(Seat& seat);
  // What came of handing out what is there to one receiver.
  struct Served {
    std::vector<Delivered> deliveries;
    // Why it gets no more although something is there, if so: it has no credit, or it is refused.
    bool can_take = true;
    Status refused{};
  };
  Served Serve(Queue& queue, const Source& source, Seat& seat, Turn& turn);
  void WakeSome(Turn& turn);
  void Wake(HolderId id);
  void ServeFirst(Queue& queue, const Source& source, Line& line, Turn& turn, std::size_t& served);
  void Deliver(const std::shared_ptr<Receiver>& receiver, std::vector<Delivered> deliveries,
               Turn& turn);
  // What nobody heard of.
  void TakeBack(LaneId lane, const std::vector<Delivered>& deliveries);
  // Receivers of a lane that leave because nothing is there for them.
  std::vector<HolderId> LeavingOf(Queue& queue, LaneKind kind, const LaneState& lane, Timestamp now,
                                  std::size_t count_max) const;
  // It ends; or hears what credit is left, and stays.
  void Leave(const std::shared_ptr<Receiver>& receiver, Turn& turn);
  // Whether something is there for a receiver that is leaving.
  static bool HasSomething(Queue& queue, LaneKind kind, const Receiver& receiver);
  void Remove(const std::shared_ptr<Receiver>& receiver, Timestamp now);
  void LeaveLane(const Receiver& receiver);
  void ForgetIfEmpty(LaneId lane);
  // In this turn, or in one that has room for it.
  void EndSoon(HolderId id, const Status& reason, Turn& turn);
  void End(const std::shared_ptr<Receiver>& receiver, const Status& reason, Turn& turn);

  TouchedLanes& touched_;
  Tasks& tasks_;
  const std::size_t receivers_per_lane_max_;
  Holders holders_;
  HeldBack held_back_;
  Release release_;
  Left left_;
  DropBody drop_body_;
  absl::flat_hash_map<HolderId, std::shared_ptr<Receiver>> receivers_;
  // Those of which no lane is in `lanes_` any more.
  EndingReceivers ending_;
  // A task is posted that ends, forgets and wakes more.
  bool goes_on_ = false;
  absl::btree_map<LaneId, LaneState> lanes_;
  absl::flat_hash_map<LineId, std::unique_ptr<LineState>> lines_;
  absl::btree_set<LineId> stirred_;
  absl::btree_set<std::pair<Timestamp, HolderId>> deadlines_;
  std::vector<LaneId> woken_;
};

}  // namespace wharf

// Forwarder: moves the messages of queues that forward, and of dead-letter queues that do (FWD-1,
// FWD-14).
//
// It takes messages from the head of a lane like a receiver, as far as they are in memory; what is
// not is read as for receivers, and the lane is served again when it has come. A turn forwards a
// bounded number of messages, by turns from each lane. One that the target of a dead-letter queue
// does not take now holds the others back, and is tried again after a while (FWD-15). Nothing of
// this is kept: after a restart every lane that has messages is served. Owned by the Shard, used on
// its thread.
#pragma once

#include <deque>
#include <string>
#include <utility>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "broker/core/queue/queue.h"
#include "broker/engine/delivery/windows.h"
#include "broker/engine/sending/disk_room.h"
#include "broker/engine/sending/send_line.h"
#include "broker/engine/turn/registrations.h"
#include "broker/engine/turn/worker_context.h"

namespace wharf {

class Forwarder final : public TimedWorker,
                        public BusyWorker,
                        public EntityListener,
                        public EntityEndListener,
                        public WindowUser {
 public:
  Forwarder(const WorkerContext& context, SendLine& sends, DiskRoom disk)
      : context_(context), sends_(sends), disk_(disk) {}

  // For each queue there is when the broker starts.
  void Start(const Queue& queue);
  // Once a turn, before lanes are matched with receivers: forwards from the lanes that were
  // touched.
  void Plan(const absl::btree_set<LaneId>& touched, Turn& turn);
  // Others may get rid of what they could not.
  void OnEntityChanged(Queue& queue, Turn& turn) override;
  void OnEntityDeleted(EntityId entity, const Status& reason, Turn& turn) override;
  // Whether the lane has something in memory that is to be forwarded, in a later turn.
  bool IsLeft(const Queue& queue, LaneKind kind) const;
  // Whether what the lane has in memory must stay there: it is read for this, or ids of its
  // messages are being looked up.
  bool NeedsWindow(LaneId lane) const override {
    return reading_.contains(lane) || in_line_.contains(lane);
  }
  void OnUnreadable(LaneId lane, const Status& reason, Turn& turn) override;

  // Whether messages of the lane are to be read into its window now. If it has to wait for others
  // it is touched when its turn comes.
  bool IsWanted(const Queue& queue, LaneKind kind);

  // Serves lanes again that have waited long enough.
  void PlanDue(Turn& turn) override;
  Timestamp next_deadline() const override;
  // Whether there is something to forward that does not wait for its target.
  bool is_busy() const override { return !unfinished_.empty(); }

 private:
  // What a turn may still forward.
  struct Budget {
    std::size_t messages;
    std::int64_t bytes;
    bool is_spent() const { return messages == 0 || bytes <= 0; }
  };
  // How long a lane leaves its target alone.
  struct Resting {
    // kNever: it is over, and nothing was forwarded since.
    Timestamp until = kNever;
    Duration length{};
  };
  using MessageIds = absl::flat_hash_set<DuplicateId>;
  using Lanes = absl::btree_set<LaneId>;

  Lanes LanesAmong(const Lanes& touched);
  LaneId NextOf(const Lanes& lanes) const;
  void Serve(LaneId lane, Lanes& lanes, Budget& budget, Turn& turn);
  void Forward(Queue& source, LaneKind kind, const Result<Queue*>& target, const MessageIds* ids,
               KnownIds& known, Budget& budget, Turn& turn);
  void StandInLine(Queue& source, LaneKind kind, const Queue& target, Turn& turn);
  static bool IsLookedUp(const Queue& target, const Message& message, const MessageIds& ids);
  void ForwardLookedUp(LaneId lane, EntityId target, const MessageIds& ids,
                       const Result<KnownIds*>& known, Turn& turn);
  void NoteLeft(const Queue& source, LaneKind kind);
  void EndReading(LaneId lane);
  bool IsResting(LaneId lane) const;
  void Rest(LaneId lane, Timestamp now);
  void EndRest(LaneId lane);
  void LookAgain(Queue& source, LaneKind kind);
  void Forget(LaneId lane);

  const WorkerContext context_;
  SendLine& sends_;
  const DiskRoom disk_;
  // The lane that was served last: the next one is served first.
  LaneId last_;
  // Have something to forward.
  Lanes unfinished_;
  // Unfinished lanes that may be read: so many at a time, so that memory does not grow with the
  // number of sources that have a backlog. The others wait.
  Lanes reading_;
  std::deque<LaneId> waiting_;
  Lanes is_waiting_;
  // Wait while message ids are looked up at their targets.
  Lanes in_line_;
  // Have messages that their targets do not take.
  Lanes held_back_;
  absl::flat_hash_map<LaneId, Resting> rests_;
  absl::btree_set<std::pair<Timestamp, LaneId>> alarms_;
};

}  // namespace wharf

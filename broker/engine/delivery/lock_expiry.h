// LockExpiry: ends locks when their time is over.
//
// A message whose lock ends for the last time goes to the dead-letter queue, and is read for that;
// if it cannot be read it goes into quarantine instead. Owned by the Shard, used on its thread.
#pragma once

#include <cstddef>
#include <vector>

#include "broker/core/queue/queue.h"
#include "broker/engine/sending/move_line.h"
#include "broker/engine/turn/deadlines.h"
#include "broker/engine/turn/registrations.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/reading/message_reader.h"

namespace wharf {

// Ends the locks of sessions of a lane whose time is over, and with them those of their messages.
class SessionExpiry {
 public:
  virtual ~SessionExpiry() = default;
  virtual void ExpireDue(LaneId lane, Turn& turn) = 0;
};

class LockExpiry final : public TimedWorker, public BusyWorker, public EntityEndListener {
 public:
  LockExpiry(const WorkerContext& context, MoveLine& moves, SessionExpiry& sessions)
      : context_(context), moves_(moves), sessions_(sessions) {}

  // The locks of the lane changed: when the next one ends.
  void NoteDeadline(const Lane& lane);
  // Messages whose receiver left before it heard of them come back (LCK-14).
  void ReleaseUnheard(LaneId lane, const std::vector<LockToken>& tokens, Turn& turn);

  void PlanDue(Turn& turn) override;
  Timestamp next_deadline() const override { return deadlines_.next(); }
  bool is_busy() const override { return under_way_ > 0; }
  void OnEntityDeleted(EntityId entity, const Status& reason, Turn& turn) override;

 private:
  void ExpireLocks(LaneId lane, Turn& turn);
  void ExpireWithContent(LaneId lane, const std::vector<LockToken>& tokens, Turn& turn);
  void ReadExpired(LaneId lane, std::vector<LockToken> tokens, Turn& turn);
  void DeadLetterExpired(LaneId lane, const std::vector<LockToken>& tokens,
                         const Result<ReadableContents>& contents, Turn& turn);
  void Quarantine(Lane& lane, const LockToken& token, const ReadableContents& read, Turn& turn);
  void EndStep(Turn& turn);

  const WorkerContext context_;
  MoveLine& moves_;
  SessionExpiry& sessions_;
  // When the next lock of a lane ends.
  Deadlines<LaneId> deadlines_;
  // Steps that dead-letter messages whose locks ended, not planned yet.
  std::size_t under_way_ = 0;
};

}  // namespace wharf

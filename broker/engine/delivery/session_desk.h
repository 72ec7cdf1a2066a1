// SessionDesk: gives sessions out, and takes them back.
//
// A caller that wants the next session stands in line until one has something to deliver; which one
// that is stands in the store, so a reader looks at those that may be next. A session that was
// accepted by a receiver is given back when the receiver leaves or its turn is over; one that was
// accepted by a call stays until it is released or expires. What a link held when the broker ended
// is nobody's, and is given back at the start. However a session ends, what is in flight comes back
// first, in bounded steps. Owned by the Shard, used on its thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "broker/engine/delivery/dispatcher.h"
#include "broker/engine/delivery/lock_expiry.h"
#include "broker/engine/delivery/session_waiters.h"
#include "broker/engine/delivery/waiting.h"
#include "broker/engine/entities/entity_finder.h"
#include "broker/engine/sending/move_line.h"
#include "broker/engine/turn/registrations.h"
#include "broker/engine/turn/tasks.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/reading/session_reader.h"
#include "broker/requests/session_use.h"
#include "storage/base/latency.h"

namespace wharf {

class SessionDesk final : public TimedWorker,
                          public BusyWorker,
                          public EntityListener,
                          public EntityEndListener,
                          public SessionExpiry,
                          public Waiting {
 public:
  // Calls that wait on one lane for a session: for the next one, and, counted apart, for a named
  // one that is on its way back. Receivers that wait are bounded as receivers are.
  static constexpr std::size_t kCallsWaitingMax = 5000;

  using Accepted = SessionWaiter::Accepted;
  // Hears that a session is free again, or why it is not.
  using Ended = absl::AnyInvocable<void(Turn& turn, const Status& status) &&>;
  // A call that waits for a session; gone when it has one, or waits no more.
  using Wait = std::weak_ptr<SessionWaiter>;

  SessionDesk(const WorkerContext& context, const EntityFinder& finder, Tasks& tasks,
              Dispatcher& dispatcher, MoveLine& moves, Clock& clock)
      : context_(context),
        finder_(finder),
        tasks_(tasks),
        dispatcher_(dispatcher),
        moves_(moves),
        clock_(clock) {}

  // At a start: gives back what links held of this queue, without counting (SES-24).
  void GiveBackOfLinks(const Queue& queue);

  // Why a receiver lost its session.
  static Status SessionLockLost();

  // For a call by itself. The lane has sessions. Refused when as many wait already as may: for the
  // next one QuotaExceeded, until others are served; for a named one ServiceBusy, because it comes
  // back soon.
  Wait Accept(LaneId lane, const SessionChoice& choice, ActorPtr actor, Accepted accepted,
              Turn& turn);
  // A call does not want to wait any more; it hears ServiceTimeout, unless it heard something
  // before.
  void EndWait(const Wait& wait, Turn& turn);
  // For a receiver that has just attached: it ends if it gets none.
  void Seat(HolderId receiver, LaneId lane, const SessionChoice& choice, Turn& turn);
  void Seat(HolderId receiver, LaneId lane, const ManySessions& many, Turn& turn);

  // Ends the lock of a session that is held.
  void End(LaneId lane, Session& session, SessionEndCause cause, const Status& reason, Ended ended,
           Turn& turn);
  void ExpireDue(LaneId lane, Turn& turn) override;
  // A receiver left: what it accepted is given back in a later turn. Whether it waited for its one
  // session, which it uses by that (ADI-9).
  bool NoteLeft(const Receiver& receiver);
  // Waiters where nobody may receive any more, or all waiters, hear why they wait no more: a few in
  // each turn, and none is served meanwhile.
  void OnEntityChanged(Queue& queue, Turn& turn) override;
  void OnEntityDeleted(EntityId entity, const Status& reason, Turn& turn) override;
  void RefuseAll(const Status& reason, Turn& turn);

  // Once a turn for each lane with sessions that was touched: accepts, delivers, gives back, and
  // reads what is lacking. True if more could be done in another turn.
  bool Match(Queue& queue, Turn& turn);

  // Touches lanes where a caller has waited long enough, or a turn may be over.
  void PlanDue(Turn& turn) override;
  Timestamp next_deadline() const override;
  // Sessions are on their way back, or expired messages out.
  bool is_busy() const override { return !ends_.empty() || cleanings_ > 0; }
  // Whether anything waits for a session, but for receivers of many: they wait as receivers do, as
  // long as they have credit.
  bool HasWaiting(EntityId entity) const override;

  // How long sessions were looked for that had something to deliver.
  const Latency& accept_latency() const { return accept_latency_; }

 private:
  // What a reader brought.
  struct SessionReads {
    std::vector<std::pair<SessionSerial, SessionReadBatch>> sessions;
    std::optional<OfferBatch> offers;
    // Of what could not be read.
    Status status;
  };

  // A session that is on its way back.
  struct Ending {
    SessionEndCause cause;
    std::vector<Ended> ended;
  };
  // A session that is emptied of what has expired, page by page.
  struct Cleaning {
    Shelf shelf;
    std::string session;
    // Where it goes on, and up to and with where.
    SequenceNumber from;
    SequenceNumber through;
  };
  // A session that a receiver accepted.
  struct Ownership {
    HolderId receiver;
    std::optional<ManySessions> many;
    // When its turn is over if nothing comes; kNever if something is there.
    Timestamp idle_deadline = kNever;
  };

  void Refuse(EntityId entity, const Status& reason);
  void TellRefused(Turn& turn);
  // Who is given a session.
  struct Taker {
    // Zero: a call by itself.
    HolderId receiver{};
    // Of a call; a receiver knows in whose name it is there.
    ActorPtr actor{};
  };
  void AcceptNamed(LaneId lane, const Taker& taker, const SessionChoice& choice, Accepted accepted,
                   Turn& turn);
  // When what was in flight of it is back.
  void AcceptWhenBack(LaneId lane, const Taker& taker, const SessionChoice& choice,
                      Session& session, Accepted accepted, Turn& turn);
  // Held by a link that is gone.
  bool IsLeft(LaneId lane, const Session& session) const;
  // Of a session that is not held any more, or whose time is over.
  SessionEndCause CauseOf(LaneId lane, const Session& session) const;
  Wait StandInLine(SessionWaiter waiter);
  AcceptedSession Hand(Queue& queue, Session& session, const Taker& taker,
                       const std::optional<ManySessions>& many, Turn& turn);
  Accepted SeatedBy(HolderId receiver);
  void AcceptWaiting(Queue& queue, LaneId lane, Turn& turn);
  // How many of the next sessions waiters were given; whether any waiter wants one.
  struct Given {
    std::size_t sessions = 0;
    bool is_wanted = false;
  };
  Given GiveNext(Queue& queue, SessionWaiters::Line& line, Turn& turn);
  Session* FindNext(Queue& queue, SessionWaiters::Line& line, HeldBy held_by, Turn& turn);
  // Whether a receiver of many would take another one now.
  bool WantsMore(const SessionWaiter& waiter) const;
  void HandNext(Queue& queue, SessionWaiter& waiter, Session& session, Turn& turn);
  void LookAhead(Queue& queue, LaneId lane, Turn& turn);
  void EndWaits(Queue& queue, LaneId lane, Turn& turn);
  bool Deliver(Queue& queue, LaneId lane, const std::vector<SessionSerial>& stirred, Turn& turn);
  void EndTurns(Queue& queue, LaneId lane, const std::vector<SessionSerial>& stirred, Turn& turn);
  bool IsTurnOver(const Session& session, const LineId& line, Ownership& ownership,
                  const Turn& turn);
  void SetIdleDeadline(const LineId& line, Ownership& ownership, Timestamp deadline);
  void Disown(const LineId& line);
  void GiveBackLater(const LineId& line);
  void Refill(Queue& queue, LaneId lane, const std::vector<SessionSerial>& stirred, Turn& turn);
  void ReadSessions(const Shelf& shelf, std::vector<std::pair<SessionSerial, SessionRead>> reads,
                    std::optional<ReadOffers> offers, Turn& turn);
  void TakeReads(const Shelf& shelf, std::uint32_t life, SessionReads brought, Turn& turn);
  void EndStep(const LineId& line, const ReadableContents& read, bool has_read, Turn& turn);
  void QuarantineOf(const Session& session, Lane& lane, const ReadableContents& read, Turn& turn);
  void ReadThenEnd(const LineId& line, std::vector<SequenceNumber> numbers, Turn& turn);
  void Finish(const LineId& line, const Status& status, Turn& turn);
  void TellEnded(std::vector<Ended> ended, const Status& status, Turn& turn);
  void CleanExpired(Queue& queue, Turn& turn);
  void RemoveExpired(Cleaning cleaning, const Result<ExpiredPage>& page, const PageWatch& watch,
                     Turn& turn);
  void Clean(Cleaning cleaning, Turn& turn);
  void BeginClean(Cleaning cleaning, Turn& turn);
  Session* Find(const LineId& line);

  const WorkerContext context_;
  const EntityFinder& finder_;
  Tasks& tasks_;
  Dispatcher& dispatcher_;
  MoveLine& moves_;
  Clock& clock_;
  SessionWaiters waiters_;
  // A task is posted that tells more of those that are refused.
  bool tells_refused_ = false;
  // Of turns that may be over, at the line of the session.
  absl::btree_set<std::pair<Timestamp, LineId>> deadlines_;
  absl::flat_hash_map<LineId, Ownership> owned_;
  absl::flat_hash_map<HolderId, absl::btree_set<LineId>> owned_by_;
  absl::flat_hash_map<LineId, Ending> ends_;
  // Calls among those that hear of an end, for each lane.
  absl::flat_hash_map<LaneId, std::size_t> calls_named_;
  // Where the round of a lane's sessions goes on.
  absl::flat_hash_map<LaneId, SessionSerial> round_;
  std::size_t cleanings_ = 0;
  Latency accept_latency_;
};

}  // namespace wharf

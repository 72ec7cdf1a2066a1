// SessionWaiters: what waits for a session of each lane, in the order in which it came.
//
// Calls and receivers that want one session leave when they have it; a receiver of many goes to the
// end of the line with each. However many wait, it costs the same that one comes, is served or
// ends, or that all of a lane are refused; only receivers of many are passed over one by one, while
// they want none. Owned by the SessionDesk, used on the shard's thread.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "broker/core/queue/lock_table.h"
#include "broker/engine/turn/deadlines.h"
#include "broker/engine/turn/turn.h"
#include "broker/requests/session_use.h"

namespace wharf {

struct SessionLine;

// A call or receiver that waits for a session.
struct SessionWaiter {
  // Hears which session was accepted, or why none was.
  using Accepted = absl::AnyInvocable<void(Turn& turn, Result<AcceptedSession> session) &&>;

  LaneId lane;
  // Zero: a call by itself.
  HolderId receiver{};
  // In whose name a call waits.
  ActorPtr actor{};
  Accepted accepted;
  Timestamp wait_until = kNever;
  HeldBy held_by = HeldBy::kToken;
  // Of a receiver with many sessions, which goes on waiting.
  std::optional<ManySessions> many{};
  // Since when it waits for this session.
  Timestamp since{};

  // Kept by SessionWaiters.
  SessionLine* line = nullptr;
  std::uint64_t ticket = 0;
  std::list<std::shared_ptr<SessionWaiter>>::iterator place{};
};

// Those that wait on one lane, while there are any.
struct SessionLine {
  using List = std::list<std::shared_ptr<SessionWaiter>>;

  bool empty() const { return of_one.empty() && of_many.empty(); }

  // Those that want one session, and receivers of many.
  List of_one;
  List of_many;
  // When the waits are over that have an end.
  absl::btree_map<std::pair<Timestamp, std::uint64_t>, SessionWaiter*> ends;
  // When the lane is to be looked at; no later than the first end that has not come.
  Timestamp deadline = kNever;
  // Since when there may be a session for them.
  std::optional<Timestamp> may_find_since;
  // Why no waiter of it is served any more, if so.
  Status refused;
};

class SessionWaiters {
 public:
  using Waiter = std::shared_ptr<SessionWaiter>;
  using List = SessionLine::List;
  using Line = SessionLine;

  // Goes through a line once, while nobody else comes or leaves.
  struct Round {
    Line& line;
    // The first receiver of many that was not passed over.
    List::iterator many;
  };
  using Wants = absl::FunctionRef<bool(const SessionWaiter&)>;

  // At the end of the line of its lane.
  Waiter Add(SessionWaiter waiter);
  // Its wait is over then; the caller looks at the lane in this turn. One that is refused hears so.
  void SetEnd(SessionWaiter& waiter, Timestamp end);
  // Null: the receiver does not wait.
  Waiter TakeOut(HolderId receiver);
  // None of a lane, or of all lanes because the broker stops, is served any more, or counts as one
  // that waits: TakeRefused brings each.
  void Refuse(LaneId lane, const Status& reason);
  void RefuseAll(const Status& reason);
  struct Refused {
    Waiter waiter;
    Status reason;
  };
  // The next of all that were refused; nothing: there are none.
  std::optional<Refused> TakeRefused();
  bool has_refused() const { return !refused_.empty() || !stopped_.empty(); }
  // One of a lane whose time is over, the first one first; null: there is none.
  Waiter TakeOver(LaneId lane, Timestamp now);
  bool HasOver(LaneId lane, Timestamp now) const;

  // Null: nobody waits.
  Line* Find(LaneId lane);
  // The next waiter, null if none is; `wants` is asked of receivers of many.
  static SessionWaiter* Next(Round& round, Wants wants);
  // It is served: takes it out, or to the end of the line. The line stays, also if it is empty.
  Waiter Serve(Round& round, SessionWaiter& waiter);
  void ForgetIfEmpty(LaneId lane);

  std::size_t size(LaneId lane) const;
  // Whether any waits that wants one session.
  bool HasOne(LaneId lane) const;

  // When a wait may be over; kNever: none has an end that has not come.
  Timestamp next_deadline() const { return deadlines_.next(); }
  // The next lane of which one may be.
  std::optional<LaneId> TakeDue(Timestamp now);

 private:
  using Lines = std::map<LaneId, Line>;

  // The line stays, also if it is empty.
  Waiter TakeOut(SessionWaiter& waiter);
  void SetDeadline(LaneId lane, Line& line, Timestamp deadline);
  // The line of which some are refused next; null: there is none.
  Line* NextRefused();

  // Lines stay where they are while others come and go.
  Lines lines_;
  // Those that were refused, the oldest first.
  std::list<Lines::node_type> refused_;
  // Lines that are refused behind them, with their deadlines, and why.
  Lines stopped_;
  Deadlines<LaneId> stopped_deadlines_;
  Status stopped_for_;
  absl::flat_hash_map<HolderId, SessionWaiter*> receivers_;
  Deadlines<LaneId> deadlines_;
  std::uint64_t last_ticket_ = 0;
};

}  // namespace wharf

// SessionHandler: plans what is asked of sessions: accepting, keeping and giving them up, their
// state, and what their owner sees.
//
// Owned by the pipeline, used on the shard's thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/engine/delivery/session_desk.h"
#include "broker/engine/entities/entity_finder.h"
#include "broker/engine/requests/asked.h"
#include "broker/engine/requests/deepest_pass.h"
#include "broker/engine/requests/reply.h"
#include "broker/engine/sending/disk_room.h"
#include "broker/engine/sending/transactions.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/requests/session_requests.h"

namespace wharf {

class SessionHandler {
 public:
  SessionHandler(const WorkerContext& context, const EntityFinder& finder, SessionDesk& sessions,
                 const Transactions& transactions, DiskRoom disk, const StoreReplies& from_store)
      : context_(context),
        finder_(finder),
        sessions_(sessions),
        transactions_(transactions),
        disk_(disk),
        from_store_(from_store),
        deepest_(context) {}

  // `wait` is that of the call, as long as it waits.
  void Plan(Asked<AcceptSessionRequest> asked, SessionDesk::Wait& wait, Turn& turn);
  void EndWait(const SessionDesk::Wait& wait, Turn& turn) { sessions_.EndWait(wait, turn); }

  void Plan(Asked<RenewSessionRequest> asked, Turn& turn);
  void Plan(Asked<ReleaseSessionRequest> asked, Turn& turn);
  void Plan(Asked<ForceReleaseSessionRequest> asked, Turn& turn);
  void Plan(Asked<GetSessionStateRequest> asked, Turn& turn);
  void Plan(Asked<SetSessionStateRequest> asked, Turn& turn);
  void Plan(Asked<ListSessionsRequest> asked, Turn& turn);
  void Plan(Asked<ListDeepestSessionsRequest> asked, Turn& turn);

 private:
  struct StateChange {
    LockToken session;
    std::optional<std::string> state;
    std::vector<LockToken> completed;
    LaneId lane{};
    // Of the state before, when it was read; nobody asks if this holder has set it since.
    std::int64_t bytes_read = 0;
  };

  // The queue, its lane and the session that a token holds.
  struct Held {
    EntityFinder::Target target;
    Session& session;
  };
  Result<Held> Find(const EntityRef& entity, const LockToken& token, Timestamp now);
  Result<Queue*> FindWithSessions(const EntityRef& entity);
  void End(LaneId lane, Session& session, const Status& reason, Answer<std::monostate> answer,
           Turn& turn);
  void ReadThenChangeState(const std::string& session_id, StateChange change,
                           Answer<std::monostate> answer, Turn& turn);
  void ChangeState(StateChange change, Answer<std::monostate> answer, Turn& turn);

  const WorkerContext context_;
  const EntityFinder& finder_;
  SessionDesk& sessions_;
  const Transactions& transactions_;
  const DiskRoom disk_;
  const StoreReplies from_store_;
  DeepestPass deepest_;
};

}  // namespace wharf

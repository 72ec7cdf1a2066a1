// SessionStates: the bytes that holders keep with their sessions (SST-1..4).
//
// Setting a state may complete messages of the session as well: all or nothing. A request that sets
// it at once and a transaction, which checks first and sets later, rest on the same evaluation.
// Owned by a Queue, used on the shard's thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/queue/holds.h"
#include "broker/core/queue/quota.h"

namespace wharf {

class SessionStates {
 public:
  // All that it is made with outlives it.
  SessionStates(const EntityRecord& record, Lanes& lanes, const Holds& holds, const Quota& quota)
      : record_(record), lanes_(lanes), holds_(holds), quota_(quota) {}

  // Whether the state may be set or cleared, and these messages completed. `bytes_read`: what was
  // read of the state before; nothing: it is not known yet, and the quota is left out.
  // `bytes_more`: what the entity gets before.
  Status Check(LaneKind kind, const LockToken& token, const std::optional<std::string>& state,
               std::optional<std::int64_t> bytes_read, const std::vector<LockToken>& completed,
               std::int64_t bytes_more, Timestamp now) const;
  // Does what Check let pass in the same turn.
  void Change(const LockToken& token, std::optional<std::string> state, std::int64_t bytes_read,
              const std::vector<LockToken>& completed, Timestamp now, Changes& changes);
  // Both.
  Status Set(LaneKind kind, const LockToken& token, std::optional<std::string> state,
             std::int64_t bytes_read, const std::vector<LockToken>& completed, Timestamp now,
             Changes& changes);

 private:
  Status CheckSize(std::int64_t bytes) const;
  Status CheckCompleted(LaneKind kind, const Session& session,
                        const std::vector<LockToken>& completed, Timestamp now) const;

  const EntityRecord& record_;
  Lanes& lanes_;
  const Holds& holds_;
  const Quota& quota_;
};

}  // namespace wharf

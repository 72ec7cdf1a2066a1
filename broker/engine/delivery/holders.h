// Holders: what holds locked messages, for which connection, and whether it may hold more.
//
// A holder is a receiver that stays, or all calls of one connection on one lane together, so that
// what is kept here grows with connections and streams and not with messages. One lives as long as
// it is attached, or holds a lock. What a connection may hold is bounded twice: in all, and on each
// lane, where it gets less the less is left for others, so that one that settles nothing cannot
// starve them.
//
// A connection is known by the address and port that it comes from. Owned by the Dispatcher, used
// on the shard's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "broker/core/queue/lock_table.h"
#include "broker/requests/settle_requests.h"
#include "storage/base/status.h"

namespace wharf {

class Holders {
 public:
  // What one connection gets on a lane, at most, of what it leaves for others.
  static constexpr std::size_t kTimesWhatIsLeft = 9;

  explicit Holders(std::size_t locked_per_connection_max)
      : locked_per_connection_max_(locked_per_connection_max) {}

  // A stream is a holder of its own; the calls of a connection on a lane are one. Each must be
  // followed by Leave.
  HolderId JoinStream(const std::string& peer, LaneId lane);
  HolderId JoinCalls(const std::string& peer, LaneId lane);
  void Leave(HolderId holder);

  // How many messages more it may lock when the lane has room for `left`.
  std::size_t Allowance(HolderId holder, std::size_t left) const;
  // Why it may not lock more than that.
  Status Refusal(HolderId holder, std::size_t left) const;
  void NoteLocked(HolderId holder, std::size_t count);
  // A lock ended. Returns the connection, which may lock another one; nothing: it is not known.
  std::optional<HolderId> NoteFreed(HolderId holder);
  // The locks of a lane are gone with it. Returns the connections that held some.
  absl::btree_set<HolderId> Forget(LaneId lane);
  // Names the connection of a holder.
  HolderId ConnectionOf(HolderId holder) const { return holders_.at(holder).connection->id; }

  // Nothing: it is not known, for example because it held the lock before a restart.
  std::optional<HolderInfo> Describe(HolderId holder, std::size_t left) const;

  std::size_t size() const { return holders_.size(); }
  // Names what holds nothing itself: a receiver, a connection.
  HolderId NewId() { return last_id_ = last_id_.Next(); }

 private:
  struct Connection {
    HolderId id;
    std::string peer;
    std::size_t locked = 0;
    absl::flat_hash_map<LaneId, std::size_t> locked_on;
    absl::flat_hash_map<LaneId, HolderId> calls_on;
    std::size_t holders = 0;
  };
  struct Holder {
    Connection* connection;
    LaneId lane;
    HolderKind kind;
    // Streams and calls that are attached.
    std::size_t attached = 0;
    std::size_t locked = 0;
  };

  HolderId Add(const std::string& peer, LaneId lane, HolderKind kind);
  Connection& ConnectionFrom(const std::string& peer);
  static std::size_t LockedOn(const Connection& connection, LaneId lane);
  void Unlock(Holder& holder, std::size_t count);
  void ForgetIfIdle(HolderId id);

  const std::size_t locked_per_connection_max_;
  HolderId last_id_;
  absl::flat_hash_map<std::string, std::unique_ptr<Connection>> connections_;
  // In the order of their lanes.
  absl::btree_set<std::pair<LaneId, HolderId>> by_lane_;
  absl::flat_hash_map<HolderId, Holder> holders_;
};

}  // namespace wharf

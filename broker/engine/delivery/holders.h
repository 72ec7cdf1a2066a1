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
#include <list>
#include <memory>
#include <optional>
#include <string>

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
  // The locks of a lane are gone with it. They weigh on connections until ForgetNext came to them;
  // what is locked on a lane of the same name meanwhile is not among them.
  void Forget(LaneId lane);
  bool has_forgotten() const { return !forgotten_.empty(); }
  // Takes the locks from one holder of such a lane, while there is one. Returns the connection if
  // it held some.
  std::optional<HolderId> ForgetNext();
  // Names the connection of a holder.
  HolderId ConnectionOf(HolderId holder) const { return holders_.at(holder).connection->id; }

  // Nothing: it is not known, for example because it held the lock before a restart.
  std::optional<HolderInfo> Describe(HolderId holder, std::size_t left) const;

  std::size_t size() const { return holders_.size(); }
  // Names what holds nothing itself: a receiver, a connection.
  HolderId NewId() { return last_id_ = last_id_.Next(); }

 private:
  // A lane until it is forgotten, and its holders. An entity that is fenced and comes back has new
  // ones.
  struct Site {
    LaneId lane;
    absl::btree_set<HolderId> holders{};
  };
  struct Connection {
    HolderId id;
    std::string peer;
    std::size_t locked = 0;
    absl::flat_hash_map<const Site*, std::size_t> locked_on;
    absl::flat_hash_map<const Site*, HolderId> calls_on;
    std::size_t holders = 0;
  };
  struct Holder {
    Connection* connection;
    std::shared_ptr<Site> site;
    HolderKind kind;
    // Streams and calls that are attached.
    std::size_t attached = 0;
    std::size_t locked = 0;
  };

  HolderId Add(const std::string& peer, LaneId lane, HolderKind kind);
  Connection& ConnectionFrom(const std::string& peer);
  std::shared_ptr<Site> SiteOf(LaneId lane);
  static std::size_t LockedOn(const Connection& connection, const Site& site);
  void Unlock(Holder& holder, std::size_t count);
  void ForgetIfIdle(HolderId id);
  void LeaveSite(Site& site, HolderId id);

  const std::size_t locked_per_connection_max_;
  HolderId last_id_;
  absl::flat_hash_map<std::string, std::unique_ptr<Connection>> connections_;
  // None without holders.
  absl::flat_hash_map<LaneId, std::shared_ptr<Site>> sites_;
  // Of lanes that are gone, each with holders that ForgetNext has not come to.
  std::list<std::shared_ptr<Site>> forgotten_;
  absl::flat_hash_map<HolderId, Holder> holders_;
};

}  // namespace wharf

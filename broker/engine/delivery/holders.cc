#include "broker/engine/delivery/holders.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include <fmt/core.h>

namespace wharf {

HolderId Holders::JoinStream(const std::string& peer, LaneId lane) {
  const HolderId id = Add(peer, lane, HolderKind::kStream);
  ++holders_.at(id).attached;
  return id;
}

HolderId Holders::JoinCalls(const std::string& peer, LaneId lane) {
  const auto found = ConnectionFrom(peer).calls_on.find(lane);
  const bool is_new = found == ConnectionFrom(peer).calls_on.end();
  const HolderId id = is_new ? Add(peer, lane, HolderKind::kCall) : found->second;
  if (is_new) holders_.at(id).connection->calls_on.emplace(lane, id);
  ++holders_.at(id).attached;
  return id;
}

Holders::Connection& Holders::ConnectionFrom(const std::string& peer) {
  auto& connection = connections_[peer];
  if (!connection) {
    connection = std::make_unique<Connection>();
    connection->id = NewId();
    connection->peer = peer;
  }
  return *connection;
}

HolderId Holders::Add(const std::string& peer, LaneId lane, HolderKind kind) {
  Connection& connection = ConnectionFrom(peer);
  ++connection.holders;
  const HolderId id = NewId();
  holders_.emplace(id, Holder{.connection = &connection, .lane = lane, .kind = kind});
  by_lane_.emplace(lane, id);
  return id;
}

void Holders::Leave(HolderId holder) {
  const auto found = holders_.find(holder);
  if (found == holders_.end()) return;
  --found->second.attached;
  ForgetIfIdle(holder);
}

void Holders::ForgetIfIdle(HolderId id) {
  const auto found = holders_.find(id);
  const Holder holder = found->second;
  if (holder.attached > 0 || holder.locked > 0) return;
  Connection& connection = *holder.connection;
  if (holder.kind == HolderKind::kCall) connection.calls_on.erase(holder.lane);
  by_lane_.erase({holder.lane, id});
  holders_.erase(found);
  if (--connection.holders == 0) connections_.erase(std::string(connection.peer));
}

std::size_t Holders::LockedOn(const Connection& connection, LaneId lane) {
  const auto found = connection.locked_on.find(lane);
  return found == connection.locked_on.end() ? 0 : found->second;
}

// With each that it locks there is one less for others: it goes on while what it holds on the lane
// is less than kTimesWhatIsLeft times as much as what is left.
std::size_t Holders::Allowance(HolderId id, std::size_t left) const {
  const Holder& holder = holders_.at(id);
  const Connection& connection = *holder.connection;
  const std::size_t in_all =
      locked_per_connection_max_ - std::min(locked_per_connection_max_, connection.locked);
  const std::size_t here = LockedOn(connection, holder.lane);
  if (here >= kTimesWhatIsLeft * left) return 0;
  return std::min(in_all, (kTimesWhatIsLeft * left - here - 1) / (kTimesWhatIsLeft + 1) + 1);
}

Status Holders::Refusal(HolderId id, std::size_t left) const {
  const Holder& holder = holders_.at(id);
  const Connection& connection = *holder.connection;
  if (connection.locked >= locked_per_connection_max_) {
    return {ErrorCode::kQuotaExceeded,
            fmt::format("this connection holds {} locked messages, as many as it may: settle some",
                        connection.locked)};
  }
  return {ErrorCode::kQuotaExceeded,
          fmt::format("this connection holds {} locked messages of this entity and may hold {} "
                      "more; the rest is for others: settle some",
                      LockedOn(connection, holder.lane), Allowance(id, left))};
}

void Holders::NoteLocked(HolderId id, std::size_t count) {
  Holder& holder = holders_.at(id);
  holder.locked += count;
  holder.connection->locked += count;
  holder.connection->locked_on[holder.lane] += count;
}

void Holders::Unlock(Holder& holder, std::size_t count) {
  assert(holder.locked >= count);
  Connection& connection = *holder.connection;
  holder.locked -= count;
  connection.locked -= count;
  const auto on = connection.locked_on.find(holder.lane);
  on->second -= count;
  if (on->second == 0) connection.locked_on.erase(on);
}

std::optional<HolderId> Holders::NoteFreed(HolderId id) {
  const auto found = holders_.find(id);
  if (found == holders_.end()) return std::nullopt;
  const HolderId connection = found->second.connection->id;
  Unlock(found->second, 1);
  ForgetIfIdle(id);
  return connection;
}

absl::btree_set<HolderId> Holders::Forget(LaneId lane) {
  std::vector<HolderId> ended;
  for (auto it = by_lane_.lower_bound({lane, HolderId()});
       it != by_lane_.end() && it->first == lane; ++it) {
    ended.push_back(it->second);
  }
  absl::btree_set<HolderId> connections;
  for (const HolderId id : ended) {
    Holder& holder = holders_.at(id);
    if (holder.locked > 0) {
      connections.insert(holder.connection->id);
      Unlock(holder, holder.locked);
    }
    ForgetIfIdle(id);
  }
  return connections;
}

std::optional<HolderInfo> Holders::Describe(HolderId id, std::size_t left) const {
  const auto found = holders_.find(id);
  if (found == holders_.end()) return std::nullopt;
  return HolderInfo{found->second.kind, found->second.connection->peer, Allowance(id, left) == 0};
}

}  // namespace wharf

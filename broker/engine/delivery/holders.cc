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
  const auto& calls_on = ConnectionFrom(peer).calls_on;
  const auto found = calls_on.find(SiteOf(lane).get());
  const bool is_new = found == calls_on.end();
  const HolderId id = is_new ? Add(peer, lane, HolderKind::kCall) : found->second;
  Holder& holder = holders_.at(id);
  if (is_new) holder.connection->calls_on.emplace(holder.site.get(), id);
  ++holder.attached;
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

std::shared_ptr<Holders::Site> Holders::SiteOf(LaneId lane) {
  auto& site = sites_[lane];
  if (!site) site = std::make_shared<Site>(Site{.lane = lane});
  return site;
}

HolderId Holders::Add(const std::string& peer, LaneId lane, HolderKind kind) {
  Connection& connection = ConnectionFrom(peer);
  ++connection.holders;
  const HolderId id = NewId();
  std::shared_ptr<Site> site = SiteOf(lane);
  site->holders.insert(id);
  holders_.emplace(id, Holder{.connection = &connection, .site = std::move(site), .kind = kind});
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
  if (holder.kind == HolderKind::kCall) connection.calls_on.erase(holder.site.get());
  LeaveSite(*holder.site, id);
  holders_.erase(found);
  if (--connection.holders == 0) connections_.erase(std::string(connection.peer));
}

// One that was forgotten is not the lane's any more.
void Holders::LeaveSite(Site& site, HolderId id) {
  site.holders.erase(id);
  const auto known = sites_.find(site.lane);
  const bool is_current = known != sites_.end() && known->second.get() == &site;
  if (is_current && site.holders.empty()) sites_.erase(known);
}

std::size_t Holders::LockedOn(const Connection& connection, const Site& site) {
  const auto found = connection.locked_on.find(&site);
  return found == connection.locked_on.end() ? 0 : found->second;
}

// With each that it locks there is one less for others: it goes on while what it holds on the lane
// is less than kTimesWhatIsLeft times as much as what is left.
std::size_t Holders::Allowance(HolderId id, std::size_t left) const {
  const Holder& holder = holders_.at(id);
  const Connection& connection = *holder.connection;
  const std::size_t in_all =
      locked_per_connection_max_ - std::min(locked_per_connection_max_, connection.locked);
  const std::size_t here = LockedOn(connection, *holder.site);
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
                      LockedOn(connection, *holder.site), Allowance(id, left))};
}

void Holders::NoteLocked(HolderId id, std::size_t count) {
  Holder& holder = holders_.at(id);
  holder.locked += count;
  holder.connection->locked += count;
  holder.connection->locked_on[holder.site.get()] += count;
}

void Holders::Unlock(Holder& holder, std::size_t count) {
  assert(holder.locked >= count);
  Connection& connection = *holder.connection;
  holder.locked -= count;
  connection.locked -= count;
  const auto on = connection.locked_on.find(holder.site.get());
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

void Holders::Forget(LaneId lane) {
  auto node = sites_.extract(lane);
  if (!node.empty()) forgotten_.push_back(std::move(node.mapped()));
}

// Holders that are attached still stay, with nothing, until they leave. A lane that all left by
// themselves costs one look.
std::optional<HolderId> Holders::ForgetNext() {
  const std::shared_ptr<Site> site = forgotten_.front();
  std::optional<HolderId> connection;
  if (!site->holders.empty()) {
    const HolderId id = *site->holders.begin();
    site->holders.erase(id);
    Holder& holder = holders_.at(id);
    if (holder.locked > 0) connection = holder.connection->id;
    if (holder.locked > 0) Unlock(holder, holder.locked);
    ForgetIfIdle(id);
  }
  if (site->holders.empty()) forgotten_.pop_front();
  return connection;
}

std::optional<HolderInfo> Holders::Describe(HolderId id, std::size_t left) const {
  const auto found = holders_.find(id);
  if (found == holders_.end()) return std::nullopt;
  return HolderInfo{found->second.kind, found->second.connection->peer, Allowance(id, left) == 0};
}

}  // namespace wharf

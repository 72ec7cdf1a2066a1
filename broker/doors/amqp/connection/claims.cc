#include "broker/doors/amqp/connection/claims.h"

#include <utility>

#include <fmt/core.h>

#include "broker/access/resource.h"

namespace wharf::amqp {
namespace {

using access::Guard;
using access::PermitPtr;
using access::Right;

constexpr std::string_view kSignatureType = "servicebus.windows.net:sastoken";
constexpr std::string_view kWebTokenType = "jwt";

Status Missing() {
  return {ErrorCode::kUnauthorized, "nothing was proven for this: put a token for it to $cbs"};
}

Status NoBroker() {
  return {ErrorCode::kServiceCommunicationProblem, "the broker is not there yet, or not any more"};
}

// The guard tells them apart from signatures by this.
Result<PermitPtr> ProveToken(Guard& guard, std::string_view type, std::string_view token) {
  if (type == kSignatureType) return guard.Prove(token);
  if (type == kWebTokenType) return guard.Prove("Bearer " + std::string(token));
  return Status(ErrorCode::kArgumentError, "put-token takes the types jwt and sastoken");
}

Status CheckRights(const Guard& guard, const PermitPtr& permit, const std::vector<Right>& rights,
                   const std::string& resource) {
  Status checked = Missing();
  for (const Right right : rights) {
    checked = guard.Check(permit, right, resource);
    if (checked.ok()) break;
  }
  return checked;
}

}  // namespace

Claims::Claims(const GuardGate& gate, std::string peer, std::size_t count_max)
    : gate_(gate), peer_(std::move(peer)), count_max_(count_max) {}

void Claims::KeepKey(std::string rule, std::string key) {
  key_ = Key{.rule = std::move(rule), .key = std::move(key)};
}

void Claims::TryKey() {
  if (!key_.has_value()) return;
  const std::optional<Status> said = gate_.Ask([&](const GuardGate::Entry& entry) -> Status {
    if (entry.guard == nullptr || !entry.guard->is_obeyed()) return {};
    const Result<PermitPtr> by_key = entry.guard->ProveKeyFor("", key_->rule, key_->key);
    if (by_key.ok()) of_key_ = *by_key;
    return by_key.status();
  });
  is_proven_ |= said.has_value() && said->ok();
}

Status Claims::KeepCertificate(std::string_view subject, const TrackingId& tracking_id) {
  const std::optional<Status> said = gate_.Ask([&](const GuardGate::Entry& entry) -> Status {
    if (entry.guard == nullptr || !entry.guard->is_obeyed()) return {};
    const Result<PermitPtr> permit = entry.guard->ProveCertificate(subject);
    if (permit.ok()) of_certificate_ = *permit;
    if (!permit.ok()) {
      entry.guard->NoteRefusal(permit.status(), nullptr, peer_, wharf::ToString(tracking_id));
    }
    return permit.status();
  });
  if (!said.has_value()) return NoBroker();
  is_proven_ |= said->ok();
  return *said;
}

Status Claims::Put(std::string_view audience, std::string_view type, std::string_view token,
                   const TrackingId& tracking_id) {
  const std::string resource = access::ResourceOfUri(audience);
  const std::optional<Status> said = gate_.Ask([&](const GuardGate::Entry& entry) -> Status {
    if (entry.guard == nullptr || !entry.guard->is_obeyed()) return {};
    PermitPtr permit;
    Status put = PutWith(*entry.guard, resource, type, token, permit);
    if (!put.ok()) {
      entry.guard->NoteRefusal(put, permit, peer_, wharf::ToString(tracking_id), token);
    }
    return put;
  });
  if (!said.has_value()) return NoBroker();
  is_proven_ |= said->ok();
  return *said;
}

Status Claims::PutWith(Guard& guard, const std::string& resource, std::string_view type,
                       std::string_view token, PermitPtr& permit) {
  Result<PermitPtr> proven = ProveToken(guard, type, token);
  if (!proven.ok()) return proven.status();
  permit = *std::move(proven);
  if (!access::Covers(permit->resource, resource)) {
    return {ErrorCode::kUnauthorized, "the token is not for the audience that put-token names"};
  }
  if (by_audience_.size() >= count_max_ && !by_audience_.contains(resource)) DropLapsed(guard);
  if (by_audience_.size() >= count_max_ && !by_audience_.contains(resource)) {
    return {ErrorCode::kQuotaExceeded,
            fmt::format("a connection has at most {} claims: open another one", count_max_)};
  }
  by_audience_[resource] = permit;
  return {};
}

void Claims::DropLapsed(const Guard& guard) {
  for (auto at = by_audience_.begin(); at != by_audience_.end();) {
    at = guard.Check(at->second).ok() ? std::next(at) : by_audience_.erase(at);
  }
}

Result<PermitPtr> Claims::Prove(const std::vector<Right>& rights, const std::string& resource,
                                const TrackingId& tracking_id) {
  PermitPtr permit;
  const std::optional<Status> said = gate_.Ask([&](const GuardGate::Entry& entry) -> Status {
    if (entry.guard == nullptr || !entry.guard->is_obeyed()) return {};
    Guard& guard = *entry.guard;
    Status proven =
        rights.empty() ? ProveAny(guard, permit) : ProveWith(guard, rights, resource, permit);
    if (!proven.ok()) {
      guard.NoteRefusalOfKey(proven, permit, peer_, wharf::ToString(tracking_id),
                             key_.has_value() ? key_->rule : std::string());
    }
    return proven;
  });
  if (!said.has_value()) return NoBroker();
  if (!said->ok()) return *said;
  is_proven_ = true;
  if (key_.has_value() && permit != nullptr) of_key_ = permit;
  return permit;
}

// Of several claims the nearest that gives it; if none does, what is said of the nearest tells
// most.
Status Claims::ProveWith(Guard& guard, const std::vector<Right>& rights,
                         const std::string& resource, PermitPtr& permit) const {
  Status refused = Missing();
  const auto gives = [&](const PermitPtr& candidate) {
    const Status checked = CheckRights(guard, candidate, rights, resource);
    if (permit == nullptr) {
      permit = candidate;
      refused = checked;
    }
    if (checked.ok()) permit = candidate;
    return checked.ok();
  };
  for (const std::string_view path : access::WithAncestors(resource)) {
    const auto claim = by_audience_.find(path);
    if (claim != by_audience_.end() && gives(claim->second)) return {};
  }
  if (key_.has_value()) {
    const Result<PermitPtr> by_key = guard.ProveKeyFor(resource, key_->rule, key_->key);
    if (!by_key.ok() && permit == nullptr) refused = by_key.status();
    if (by_key.ok() && gives(*by_key)) return {};
  }
  if (of_certificate_ != nullptr && gives(of_certificate_)) return {};
  return refused;
}

Status Claims::ProveAny(const Guard& guard, PermitPtr& permit) const {
  const auto holds = [&](const PermitPtr& candidate) {
    if (candidate == nullptr || !guard.Check(candidate).ok()) return false;
    permit = candidate;
    return true;
  };
  if (holds(of_key_) || holds(of_certificate_)) return {};
  for (const auto& [audience, claim] : by_audience_) {
    if (holds(claim)) return {};
  }
  if (!key_.has_value()) return Missing();
  const Result<PermitPtr> by_key = guard.ProveKeyFor("", key_->rule, key_->key);
  if (by_key.ok()) permit = *by_key;
  return by_key.status();
}

bool Claims::is_proven() {
  if (is_proven_) return true;
  const std::optional<Status> said = gate_.Ask([this](const GuardGate::Entry& entry) {
    is_proven_ = entry.guard == nullptr || !entry.guard->is_obeyed();
    return Status();
  });
  return said.has_value() && is_proven_;
}

}  // namespace wharf::amqp

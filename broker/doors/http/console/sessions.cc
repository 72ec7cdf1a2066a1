#include "broker/doors/http/console/sessions.h"

#include <tuple>
#include <utility>

#include <absl/strings/escaping.h>

namespace wharf::console {
namespace {

// It can stand in a header and in a cookie.
std::string DrawId(const access::KeySource& source) {
  const auto bytes = source();
  return absl::WebSafeBase64Escape(
      absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

bool IsOfSame(const access::Permit& one, const access::Permit& other) {
  return one.path == other.path && one.rule == other.rule && one.client == other.client;
}

}  // namespace

Sessions::Sessions(const Limits& limits, access::KeySource source, std::function<Duration()> now)
    : limits_(limits), source_(std::move(source)), now_(std::move(now)) {}

Result<std::string> Sessions::Begin(access::PermitPtr permit) {
  std::string id = DrawId(source_);
  const Duration now = now_();
  MutexLock lock(mutex_);
  EndOldestOf(*permit);
  if (all_.size() >= limits_.sessions_max) EndResting(now);
  if (all_.size() >= limits_.sessions_max) EndOldestOfMost();
  if (all_.size() >= limits_.sessions_max) {
    return Status(ErrorCode::kServiceBusy, "as many are signed in as may be: ask again later");
  }
  all_[access::PrintOf(id)] = {std::move(permit), now};
  return id;
}

access::PermitPtr Sessions::Find(std::string_view id) {
  const Duration now = now_();
  MutexLock lock(mutex_);
  const auto found = all_.find(access::PrintOf(id));
  if (found == all_.end()) return nullptr;
  if (IsOver(found->second, now)) {
    all_.erase(found);
    return nullptr;
  }
  found->second.used_at = now;
  return found->second.permit;
}

void Sessions::End(std::string_view id) {
  MutexLock lock(mutex_);
  all_.erase(access::PrintOf(id));
}

void Sessions::EndAll() {
  MutexLock lock(mutex_);
  all_.clear();
}

void Sessions::Sweep(absl::FunctionRef<bool(const access::PermitPtr& permit)> holds) {
  const Duration now = now_();
  MutexLock lock(mutex_);
  std::erase_if(all_, [&](const auto& entry) {
    return IsOver(entry.second, now) || !holds(entry.second.permit);
  });
}

std::size_t Sessions::size() const {
  MutexLock lock(mutex_);
  return all_.size();
}

void Sessions::EndResting(Duration now) {
  std::erase_if(all_, [&](const auto& entry) { return IsOver(entry.second, now); });
}

void Sessions::EndOldestOf(const access::Permit& owner) {
  std::size_t count = 0;
  auto oldest = all_.end();
  for (auto each = all_.begin(); each != all_.end(); ++each) {
    if (!IsOfSame(*each->second.permit, owner)) continue;
    ++count;
    if (oldest == all_.end() || each->second.used_at < oldest->second.used_at) oldest = each;
  }
  if (count >= limits_.sessions_of_one_max) all_.erase(oldest);
}

void Sessions::EndOldestOfMost() {
  struct Owned {
    std::size_t count = 0;
    All::iterator oldest;
  };
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, Owned> owners;
  Owned most;
  for (auto each = all_.begin(); each != all_.end(); ++each) {
    const access::Permit& permit = *each->second.permit;
    Owned& owned = owners[{permit.path, permit.rule, permit.client}];
    if (owned.count++ == 0 || each->second.used_at < owned.oldest->second.used_at) {
      owned.oldest = each;
    }
    if (owned.count >= most.count) most = owned;
  }
  if (most.count > 1) all_.erase(most.oldest);
}

}  // namespace wharf::console

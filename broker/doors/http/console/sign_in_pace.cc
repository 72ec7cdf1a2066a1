#include "broker/doors/http/console/sign_in_pace.h"

#include <algorithm>
#include <utility>

#include <boost/asio/ip/address.hpp>

#include "broker/access/access_rule.h"

namespace wharf::console {
namespace {

// What somebody has who has one address: of IPv6 that is as a rule a whole network.
std::string NetworkOf(const std::string& peer) {
  std::string host = peer.substr(0, peer.rfind(':'));
  const bool has_brackets = host.starts_with('[') && host.ends_with(']');
  if (!has_brackets) return host;
  boost::system::error_code bad;
  const auto address = boost::asio::ip::make_address_v6(host.substr(1, host.size() - 2), bad);
  if (bad) return host;
  auto bytes = address.to_bytes();
  if (!address.is_v4_mapped()) std::fill(bytes.begin() + 8, bytes.end(), 0);
  return boost::asio::ip::address_v6(bytes).to_string();
}

Duration WaitAfter(int failures) {
  Duration wait = SignInPace::kWaitMin;
  for (int i = SignInPace::kFreeFailures + 1; i < failures && wait < SignInPace::kWaitMax; ++i) {
    wait *= 2;
  }
  return std::min(wait, SignInPace::kWaitMax);
}

}  // namespace

Duration SignInPace::WaitOf(const std::string& peer) const {
  const Duration now = now_();
  MutexLock lock(mutex_);
  const auto found = failed_.find(NetworkOf(peer));
  return found == failed_.end() ? Duration(0) : std::max(found->second.until - now, Duration(0));
}

void SignInPace::NoteFailure(const std::string& peer, const std::string& rule) {
  const Duration now = now_();
  const std::string network = NetworkOf(peer);
  MutexLock lock(mutex_);
  if (!failed_.contains(network)) MakeRoom(now);
  Entry& entry = failed_[network];
  if (now - entry.failed_at >= kForgottenAfter) entry = {};
  if (entry.failures == 0) entry.rule = rule.substr(0, access::kAccessRuleNameMax);
  if (entry.rule != rule) entry.rule.clear();
  ++entry.failures;
  entry.failed_at = now;
  if (entry.failures > kFreeFailures) entry.until = now + WaitAfter(entry.failures);
}

void SignInPace::NoteSuccess(const std::string& peer, const std::string& rule) {
  MutexLock lock(mutex_);
  const auto found = failed_.find(NetworkOf(peer));
  if (found == failed_.end() || rule.empty() || found->second.rule != rule) return;
  failed_.erase(found);
}

std::size_t SignInPace::size() const {
  MutexLock lock(mutex_);
  return failed_.size();
}

// In one pass: those that are forgotten anyway, and if there are none, the one that comes next.
void SignInPace::MakeRoom(Duration now) {
  if (failed_.size() < kAddressesMax) return;
  std::erase_if(failed_, [now](const auto& entry) {
    return now - entry.second.failed_at >= kForgottenAfter;
  });
  if (failed_.size() < kAddressesMax) return;
  failed_.erase(
      std::min_element(failed_.begin(), failed_.end(), [](const auto& one, const auto& other) {
        return one.second.failed_at < other.second.failed_at;
      }));
}

}  // namespace wharf::console

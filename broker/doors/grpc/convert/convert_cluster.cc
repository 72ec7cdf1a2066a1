#include "broker/doors/grpc/convert/convert_cluster.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/core.h>

#include "absl/strings/ascii.h"
#include "broker/core/messages/text.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/requests/one_more_loss.h"

namespace wharf {
namespace {

constexpr std::size_t kQuotedBytesMax = 80;

bool IsInName(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return absl::ascii_islower(byte) || absl::ascii_isdigit(byte) || c == '-' || c == '.';
}

// Of a name, an IPv4 address, or an IPv6 one in brackets.
bool IsHost(std::string_view host) {
  const bool is_bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (is_bracketed) return true;
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_';
  });
}

bool IsPort(std::string_view port) {
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  return error == std::errc() && end == port.data() + port.size() && number > 0;
}

// The bound of the bucket in which so many of all were, at the latest; absent: there was none.
std::optional<Duration> AtMost(const Latency::Snapshot& latency, double share) {
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < latency.counts.size(); ++i) {
    seen += latency.counts[i];
    if (seen == 0 || static_cast<double>(seen) < share * static_cast<double>(latency.count)) {
      continue;
    }
    return (*latency.bounds)[std::min(i, latency.bounds->size() - 1)];
  }
  return std::nullopt;
}

void MemberToProto(const ClusterMember& member, v1::ClusterMember* proto) {
  proto->set_id(member.id);
  proto->set_name(member.name);
  proto->set_peer_address(member.peer_address);
  proto->set_client_address(member.client_address);
  proto->set_voter(member.is_voter);
  proto->set_leader(member.is_leader);
  proto->set_reachable(member.is_reachable);
  proto->set_trouble(member.trouble);
  proto->set_short_of_disk(member.is_short_of_disk);
  if (member.format_level_max) proto->set_format_level_max(*member.format_level_max);
  if (member.lag_entries) proto->set_lag_entries(*member.lag_entries);
  if (member.lag_bytes) proto->set_lag_bytes(*member.lag_bytes);
  if (member.last_heard) ToProto(*member.last_heard, proto->mutable_last_heard());
  if (member.lag) ToProto(*member.lag, proto->mutable_lag());
  if (member.round_trip) ToProto(*member.round_trip, proto->mutable_round_trip());
  if (member.clock_offset) ToProto(*member.clock_offset, proto->mutable_clock_offset());
}

}  // namespace

void ToProto(const ClusterStatus& status, v1::ClusterStatus* proto) {
  proto->set_cluster_id(status.cluster_id);
  proto->set_node_id(status.node_id);
  proto->set_node_name(status.node_name);
  proto->set_waits_for_invitation(status.waits_for_invitation);
  proto->set_leader(status.leader);
  proto->set_term(status.term);
  proto->set_committed_index(status.committed_index);
  proto->set_applied_index(status.applied_index);
  proto->set_format_level(status.format_level);
  for (const ClusterMember& member : status.members) {
    MemberToProto(member, proto->add_members());
  }
  std::sort(proto->mutable_members()->begin(), proto->mutable_members()->end(),
            [](const auto& left, const auto& right) { return left.name() < right.name(); });
  proto->set_log_bytes(status.log_bytes);
  proto->set_log_segments(status.log_segments);
  if (const auto p50 = AtMost(status.sync_latency, 0.5)) ToProto(*p50, proto->mutable_sync_p50());
  if (const auto p99 = AtMost(status.sync_latency, 0.99)) ToProto(*p99, proto->mutable_sync_p99());
  proto->set_snapshot(status.snapshot);
  proto->set_one_more_loss(OneMoreLoss(status));
  proto->set_leadership_begun_count(static_cast<std::int64_t>(status.leaderships_begun));
  proto->set_leadership_ended_count(static_cast<std::int64_t>(status.leaderships_ended));
  proto->set_trouble(status.trouble);
  proto->set_refused_batch_count(static_cast<std::int64_t>(status.refused_batches));
  if (status.refused_peer.empty()) return;
  proto->set_refused_peer(status.refused_peer);
  ToProto(status.refused_ago, proto->mutable_refused_ago());
}

void ToProto(const StateVerification& verification, v1::VerifyStateResponse* proto) {
  proto->set_under_way(verification.is_under_way);
  proto->set_row_count(verification.rows);
  proto->set_byte_count(verification.bytes);
  proto->set_index(verification.index);
  for (const StateVerification::Member& member : verification.members) {
    v1::VerifiedMember* const added = proto->add_members();
    added->set_name(member.name);
    added->set_trouble(member.trouble);
  }
  proto->set_trouble(verification.trouble);
  if (!verification.difference) return;
  const StateVerification::Difference& found = *verification.difference;
  v1::StateDifference* const difference = proto->mutable_difference();
  difference->set_table(found.table);
  difference->set_key(found.key);
  difference->set_index(found.index);
  for (const std::string& name : found.members) difference->add_members(name);
  difference->set_has_majority(found.has_majority);
}

// It is in a certificate and in names of files.
Status CheckMemberName(std::string_view name) {
  const bool is_good = !name.empty() && name.size() <= kMemberNameBytesMax &&
                       std::all_of(name.begin(), name.end(), IsInName) &&
                       absl::ascii_isalnum(static_cast<unsigned char>(name.front()));
  if (is_good) return {};
  return {ErrorCode::kArgumentError,
          fmt::format("\"{}\" is no name of a node: it has 1 to {} of a-z, 0-9, '-' and '.', the "
                      "first a letter or a digit",
                      Shortened(name, kQuotedBytesMax), kMemberNameBytesMax)};
}

Status CheckMemberAddress(std::string_view field, std::string_view address) {
  const std::size_t colon = address.rfind(':');
  const bool is_good = address.size() <= kMemberAddressBytesMax &&
                       colon != std::string_view::npos && colon + 1 < address.size() &&
                       IsHost(address.substr(0, colon)) && IsPort(address.substr(colon + 1));
  if (is_good) return {};
  return {ErrorCode::kArgumentError,
          fmt::format("{}: \"{}\" is no address: write host:port, for example n2:5691", field,
                      Shortened(address, kQuotedBytesMax))};
}

}  // namespace wharf

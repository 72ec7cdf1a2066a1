#include "broker/daemon/node_settings.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include <boost/asio/ip/address.hpp>
#include <fmt/core.h>

#include "replication/peers/dial.h"

namespace wharf {
namespace {

constexpr const char* kLibrary = "libwharfraft.so";

Status WrongListen(const std::string& text) {
  return {ErrorCode::kArgumentError,
          fmt::format("peer-listen is '{}': it must be an address of this machine and a port, as "
                      "127.0.0.1:5691",
                      text)};
}

Result<boost::asio::ip::tcp::endpoint> EndpointOf(const std::string& text) {
  const HostAndPort parts = SplitAddress(text);
  boost::system::error_code error;
  const auto address =
      boost::asio::ip::make_address(parts.host == "localhost" ? "127.0.0.1" : parts.host, error);
  int port = 0;
  const auto [end, wrong] =
      std::from_chars(parts.port.data(), parts.port.data() + parts.port.size(), port);
  const bool is_port = wrong == std::errc() && end == parts.port.data() + parts.port.size() &&
                       port > 0 && port < 65536;
  if (error || !is_port) return WrongListen(text);
  return boost::asio::ip::tcp::endpoint(address, static_cast<std::uint16_t>(port));
}

// Null: peers prove nothing to each other, because that was asked for.
Result<std::shared_ptr<PeerCertificates>> CertificatesOf(const config::Settings& settings) {
  const int files =
      !settings.peer_ca.empty() + !settings.peer_cert.empty() + !settings.peer_key.empty();
  if (files == 0 && settings.insecure) return std::shared_ptr<PeerCertificates>();
  if (files < 3) {
    return Status(ErrorCode::kArgumentError,
                  "nodes of a cluster prove to each other who they are: peer-ca, peer-cert and "
                  "peer-key are needed; insecure goes without");
  }
  return PeerCertificates::Load({settings.peer_ca, settings.peer_cert, settings.peer_key},
                                settings.node);
}

// Segments are small enough that a short log can be cut.
std::size_t SegmentBytesOf(const config::Settings& settings) {
  constexpr std::uint64_t kParts = 8;
  return std::min<std::uint64_t>(SegmentLogOptions().segment_bytes,
                                 settings.peer_log_bytes_max / kParts);
}

LogBound LogBoundOf(const config::Settings& settings) {
  const LogBound bound;
  return {.unflushed_bytes_max = std::min(bound.unflushed_bytes_max, settings.peer_log_bytes_max),
          .kept_bytes_max = settings.peer_log_bytes_max};
}

// Heartbeats come ten times as often.
RaftThread::Options RaftOf(const config::Settings& settings) {
  RaftThread::Options raft;
  raft.tick = settings.peer_election_timeout / raft.node.core.election_ticks;
  return raft;
}

PeerLimits LimitsOf(const Listeners& listeners) {
  constexpr std::uint64_t kMost = std::numeric_limits<int>::max();
  return {.descriptors_max = static_cast<int>(std::min(listeners.descriptors_max(), kMost))};
}

// "sb://host:port/" -> "host:port".
Result<std::string> ClientAddressOf(const Listeners& listeners) {
  Result<std::string> endpoint = listeners.Endpoint();
  if (!endpoint.ok()) return endpoint;
  constexpr std::string_view kScheme = "sb://";
  return endpoint->substr(kScheme.size(), endpoint->size() - kScheme.size() - 1);
}

}  // namespace

std::string RaftLibraryPath() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  for (const char* const folder : {".", "../lib/wharf"}) {
    const std::filesystem::path path = program.parent_path() / folder / kLibrary;
    if (std::filesystem::exists(path, error)) return path.lexically_normal().string();
  }
  return kLibrary;
}

Status CheckPeerCertificates(const config::Settings& settings) {
  return CertificatesOf(settings).status();
}

Result<ClusterNode::Options> NodeOptionsOf(const config::Settings& settings,
                                           const Listeners& listeners) {
  WHARF_RETURN_IF_ERROR(CheckNodeName(settings.node));
  const Result<boost::asio::ip::tcp::endpoint> listen = EndpointOf(settings.peer_listen);
  if (!listen.ok()) return listen.status();
  const std::string& told =
      settings.peer_advertise.empty() ? settings.peer_listen : settings.peer_advertise;
  if (settings.peer_advertise.empty() && listen->address().is_unspecified()) {
    return Status(ErrorCode::kArgumentError,
                  fmt::format("peer-advertise must say where the other nodes find this one: {} is "
                              "any address of this machine",
                              settings.peer_listen));
  }
  Result<std::shared_ptr<PeerCertificates>> certificates = CertificatesOf(settings);
  if (!certificates.ok()) return certificates.status();
  const PlainPeers plain = *certificates ? PlainPeers::kNobody : PlainPeers::kAnywhere;
  const std::uint64_t level = settings.peer_format_level_max;
  if (level > kFormatLevelMax) {
    return Status(ErrorCode::kArgumentError,
                  fmt::format("peer-format-level-max is {}: this wharfd knows levels up to {}",
                              level, kFormatLevelMax));
  }
  Result<std::string> clients = ClientAddressOf(listeners);
  if (!clients.ok()) return clients.status();
  return ClusterNode::Options{
      .data = settings.data,
      .name = settings.node,
      .listen = *listen,
      .peer_address = told,
      .client_address = *std::move(clients),
      .library = RaftLibraryPath(),
      .security = {.certificates = *certificates, .plain = plain},
      .certificates = *certificates,
      .limits = LimitsOf(listeners),
      .raft = RaftOf(settings),
      .log_bound = LogBoundOf(settings),
      .free_bytes_to_lead = settings.free_bytes_to_lead + SegmentBytesOf(settings),
      .segment_bytes = SegmentBytesOf(settings),
      .snapshot_bytes_per_second = settings.peer_snapshot_rate,
      .format_level_max = level == 0 ? kFormatLevelMax : level};
}

}  // namespace wharf

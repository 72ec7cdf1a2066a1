#include "broker/daemon/cluster/node_settings.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include <boost/asio/ip/address.hpp>
#include <fmt/core.h>

#include "broker/daemon/cluster/own_certificates.h"
#include "replication/identity/authority_folder.h"
#include "replication/peers/streams/dial.h"
#include "storage/base/wall_clock.h"

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

bool IsOfThisMachine(const std::string& host) {
  if (host == "localhost") return true;
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(host, error);
  return !error && address.is_loopback();
}

const std::string& PeerAddressOf(const config::Settings& settings) {
  return settings.peer_advertise.empty() ? settings.peer_listen : settings.peer_advertise;
}

// By what a node proves to its peers who it is.
enum class Proof : std::uint8_t { kFiles, kOwn, kNone };

// None is what was asked for.
Result<Proof> ProofOf(const config::Settings& settings) {
  const int files =
      !settings.peer_ca.empty() + !settings.peer_cert.empty() + !settings.peer_key.empty();
  if (files == 3) return Proof::kFiles;
  if (files == 0 && settings.insecure) return Proof::kNone;
  const bool has_neighbours_only = IsOfThisMachine(SplitAddress(settings.peer_listen).host) &&
                                   IsOfThisMachine(SplitAddress(PeerAddressOf(settings)).host);
  if (files == 0 && has_neighbours_only) return Proof::kOwn;
  return Status(ErrorCode::kArgumentError,
                fmt::format("nodes of a cluster prove to each other who they are: {} peer-ca, "
                            "peer-cert and peer-key are needed, which `wharf cluster certificate "
                            "{} --folder FOLDER` makes; insecure goes without",
                            files > 0 ? "all of" : "beyond this machine", settings.node));
}

// A node that makes its own certificates, and the clock by which it does.
class OwnProof {
 public:
  OwnProof(std::string folder, std::string node)
      : certificates_(std::move(folder), std::move(node), clock_) {}

  OwnCertificates& certificates() { return certificates_; }

 private:
  WallClock clock_;
  OwnCertificates certificates_;
};

// Null: peers prove nothing to each other, because that was asked for.
Result<std::shared_ptr<PeerCertificates>> CertificatesOf(const config::Settings& settings) {
  const Result<Proof> proof = ProofOf(settings);
  if (!proof.ok()) return proof.status();
  if (*proof == Proof::kNone) return std::shared_ptr<PeerCertificates>();
  if (*proof == Proof::kFiles) {
    return PeerCertificates::Load({settings.peer_ca, settings.peer_cert, settings.peer_key},
                                  settings.node);
  }
  const Result<std::string> folder = AuthorityFolder::OfThisUser();
  if (!folder.ok()) return OwnCertificates::CannotMake(settings.node, folder.status());
  return OwnProof(*folder, settings.node).certificates().Load();
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
          .replayed_bytes_max = 2 * bound.unflushed_bytes_max,
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
  const Result<Proof> proof = ProofOf(settings);
  if (!proof.ok() || *proof != Proof::kFiles) return proof.status();
  return CertificatesOf(settings).status();
}

std::function<void()> CertificateLooks(const config::Settings& settings,
                                       std::shared_ptr<PeerCertificates> certificates) {
  const Result<Proof> proof = ProofOf(settings);
  const Result<std::string> folder = AuthorityFolder::OfThisUser();
  if (!proof.ok() || *proof != Proof::kOwn || !folder.ok()) {
    return [certificates = std::move(certificates)] { certificates->Look(); };
  }
  return [certificates = std::move(certificates),
          own = std::make_shared<OwnProof>(*folder, settings.node)] {
    own->certificates().RenewInTime(*certificates);
    certificates->Look();
  };
}

Result<ClusterNode::Options> NodeOptionsOf(const config::Settings& settings,
                                           const Listeners& listeners) {
  WHARF_RETURN_IF_ERROR(CheckNodeName(settings.node));
  const Result<boost::asio::ip::tcp::endpoint> listen = EndpointOf(settings.peer_listen);
  if (!listen.ok()) return listen.status();
  const std::string& told = PeerAddressOf(settings);
  if (settings.peer_advertise.empty() && listen->address().is_unspecified()) {
    return Status(ErrorCode::kArgumentError,
                  fmt::format("peer-advertise must say where the other nodes find this one: {} is "
                              "any address of this machine",
                              settings.peer_listen));
  }
  const std::uint64_t level = settings.peer_format_level_max;
  if (level > kFormatLevelMax) {
    return Status(ErrorCode::kArgumentError,
                  fmt::format("peer-format-level-max is {}: this wharfd knows levels up to {}",
                              level, kFormatLevelMax));
  }
  Result<std::string> clients = ClientAddressOf(listeners);
  if (!clients.ok()) return clients.status();
  // Last, because it may make files.
  Result<std::shared_ptr<PeerCertificates>> certificates = CertificatesOf(settings);
  if (!certificates.ok()) return certificates.status();
  const PlainPeers plain = *certificates ? PlainPeers::kNobody : PlainPeers::kAnywhere;
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

#include "broker/daemon/cluster/own_certificates.h"

#include <chrono>
#include <utility>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "replication/identity/authority_folder.h"

namespace wharf {
namespace {

constexpr Duration kRetryPace = std::chrono::hours(24);

void WarnOfEnd(const Status& why) {
  spdlog::warn("the certificate of this node ends soon and cannot be made anew: {}", why.message());
}

}  // namespace

OwnCertificates::OwnCertificates(std::string folder, std::string node, Clock& clock)
    : folder_(std::move(folder)), node_(std::move(node)), clock_(clock) {}

Status OwnCertificates::CannotMake(const std::string& node, const Status& why) {
  return {why.code(),
          fmt::format("the certificate of node {} cannot be made: {}; peer-ca, peer-cert and "
                      "peer-key name files of `wharf cluster certificate {} --folder FOLDER`",
                      node, why.message(), node)};
}

PeerCredentials OwnCertificates::files() const {
  return {.authority = folder_ + "/peer-ca.pem",
          .certificate = fmt::format("{}/{}.pem", folder_, node_),
          .key = fmt::format("{}/{}.key", folder_, node_)};
}

// What is good is taken without a claim: a folder that nobody can write is good for that.
Result<std::shared_ptr<PeerCertificates>> OwnCertificates::Load() {
  if (const Status checked = AuthorityFolder::CheckIsPrivate(folder_); !checked.ok()) {
    return CannotMake(node_, checked);
  }
  Result<std::shared_ptr<PeerCertificates>> loaded = PeerCertificates::Load(files(), node_);
  if (loaded.ok() && !NeedsRenewal((*loaded)->content()->ends_at, clock_.Now())) return loaded;
  if (const Status made = Make(); !made.ok()) {
    if (!loaded.ok()) return CannotMake(node_, made);
    WarnOfEnd(made);
    return loaded;
  }
  Result<std::shared_ptr<PeerCertificates>> fresh = PeerCertificates::Load(files(), node_);
  return fresh.ok() ? fresh : CannotMake(node_, fresh.status());
}

// A certificate ends with its authority at the latest: made anew it ends as soon.
void OwnCertificates::WarnOfAuthority() const {
  const auto fresh = PeerCertificates::Load(files(), node_);
  if (!fresh.ok() || !NeedsRenewal((*fresh)->content()->ends_at, clock_.Now())) return;
  spdlog::warn(
      "the authority in {} ends soon, and all that it has signed: stop its nodes, remove the "
      "folder, and start them",
      folder_);
}

void OwnCertificates::RenewInTime(const PeerCertificates& certificates) {
  const Timestamp now = clock_.Now();
  if (now < next_try_ || !NeedsRenewal(certificates.content()->ends_at, now)) return;
  next_try_ = now + kRetryPace;
  if (const Status made = Make(); !made.ok()) WarnOfEnd(made);
}

Status OwnCertificates::Make() {
  const Result<AuthorityFolder> folder = AuthorityFolder::Claim(folder_, kClaimPatience);
  if (!folder.ok()) return folder.status();
  Result<PeerAuthority> authority = folder->Authority(clock_);
  if (!authority.ok()) return authority.status();
  const Result<PeerCredentials> made = authority->IssueCertificate(node_, {});
  if (!made.ok()) return made.status();
  spdlog::info("made {}, by which node {} proves to the others of this user who it is",
               made->certificate, node_);
  WarnOfAuthority();
  return {};
}

}  // namespace wharf

// OwnCertificates: with what a node proves itself that was told no files: a certificate of an
// authority that this user has on this machine (AuthorityFolder). What is missing there is made.
//
// Of nodes that only this machine reaches, whose peers are the same user's, who finds the same
// authority. Used by node_settings, and by the ClusterDaemon's ticker; one thread at a time.
#pragma once

#include <memory>
#include <string>

#include "replication/identity/peer_authority.h"
#include "replication/peers/admission/peer_certificates.h"
#include "storage/base/clock.h"
#include "storage/base/status.h"

namespace wharf {

class OwnCertificates {
 public:
  OwnCertificates(std::string folder, std::string node, Clock& clock);

  // Says besides what to do.
  static Status CannotMake(const std::string& node, const Status& why);

  // Makes what is missing, of no use, as a crash between two files leaves it, or ends soon.
  Result<std::shared_ptr<PeerCertificates>> Load();
  // Of a node that runs: makes new files when those that it goes by end soon, and leaves it to
  // their next look to read them. What fails is told, and tried again a day later.
  void RenewInTime(const PeerCertificates& certificates);

 private:
  PeerCredentials files() const;
  Status Make();
  void WarnOfAuthority() const;

  const std::string folder_;
  const std::string node_;
  Clock& clock_;
  Timestamp next_try_{};
};

}  // namespace wharf

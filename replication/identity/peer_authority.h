// PeerAuthority: who says which nodes belong to a cluster: a certificate authority of its own, in a
// folder, and what it signs.
//
//   peer-ca.pem  peer-ca.key       the authority, for ten years
//   NAME.pem     NAME.key          a node, for three
//
// Keys are EC P-256; all files have the mode 0600 and are replaced whole. A certificate is renewed
// by issuing it again under the same name: nodes read their files anew when they change. Every node
// needs peer-ca.pem and its own two; peer-ca.key belongs on the machine from which the cluster is
// managed. Used by who founds a cluster, and by tests; any thread, one at a time for a folder.
#pragma once

#include <string>
#include <vector>

#include "replication/identity/pem.h"
#include "storage/base/clock.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

// The files with which a node proves to its peers who it is, and by which it knows them.
struct PeerCredentials {
  std::string authority{};
  std::string certificate{};
  std::string key{};
};

// When a certificate is good.
struct Validity {
  Timestamp begins_at{};
  Timestamp ends_at{};
};

inline constexpr Duration kAuthorityLife = std::chrono::hours(24 * 3652);
inline constexpr Duration kNodeLife = std::chrono::hours(24 * 1096);
// For so long before its end a node's certificate is to be renewed.
inline constexpr Duration kRenewalTime = std::chrono::hours(24 * 60);

constexpr bool NeedsRenewal(Timestamp ends_at, Timestamp now) {
  return now >= ends_at - kRenewalTime;
}

// The two steps by themselves, without files.
Result<PemPair> MakeAuthority(const Validity& validity);
// `addresses` are names of hosts and IP addresses, for tools that look for them; peers do not.
Result<PemPair> SignNode(const PemPair& authority, const std::string& node_name,
                         const std::vector<std::string>& addresses, const Validity& validity);

class PeerAuthority {
 public:
  // Of a folder that has one, refused. Makes the folder if need be, with the mode 0700.
  static Result<PeerAuthority> Make(const std::string& folder, Clock& clock);
  // The one that there is.
  static Result<PeerAuthority> Open(const std::string& folder, Clock& clock);

  // Makes NAME.pem and NAME.key, or replaces them.
  Result<PeerCredentials> IssueCertificate(const std::string& node_name,
                                           const std::vector<std::string>& addresses);

 private:
  PeerAuthority(std::string folder, PemPair own, Clock& clock);

  const std::string folder_;
  const PemPair own_;
  Clock& clock_;
};

}  // namespace wharf

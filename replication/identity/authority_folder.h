// AuthorityFolder: the folder of a PeerAuthority, while one process at a time makes files in it;
// and where each user of a machine has one.
//
// Who makes an authority where another one is just being made would replace it, and what the first
// has signed would be worth nothing. So it is claimed first: by a lock on the folder, which goes
// with the process. Used by wharfd, which makes what its node lacks, and by wharf; any thread.
#pragma once

#include <string>

#include "replication/identity/peer_authority.h"
#include "storage/base/clock.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

class AuthorityFolder {
 public:
  // $XDG_CONFIG_HOME/wharf/peers, or $HOME/.config/wharf/peers; a relative path is none.
  static Result<std::string> OfThisUser();
  static Result<std::string> Below(const char* config_home, const char* home);
  // Whoever writes there says whom nodes believe: it must be this user's, and nobody else's to
  // write. One that is not there is nobody's yet.
  static Status CheckIsPrivate(const std::string& path);

  // Makes it if need be, and what it stands in, with the mode 0700. Who has it has it for
  // milliseconds; behind `patience` something is wrong.
  static Result<AuthorityFolder> Claim(const std::string& path, Duration patience);
  AuthorityFolder(AuthorityFolder&& other) noexcept;
  AuthorityFolder& operator=(AuthorityFolder&&) = delete;
  ~AuthorityFolder();

  // The one that there is, or a new one.
  Result<PeerAuthority> Authority(Clock& clock) const;

 private:
  AuthorityFolder(std::string path, int lock);

  std::string path_;
  int lock_;
};

// Longer than any disk takes to write two small files.
inline constexpr Duration kClaimPatience = std::chrono::seconds(10);

}  // namespace wharf

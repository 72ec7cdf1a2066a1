// Entry: what one place says of one key. Made of a file, of variables and of flags; used by
// ReadConfiguration.
#pragma once

#include <string>
#include <vector>

#include "broker/config/keys.h"
#include "broker/config/value.h"

namespace wharf::config {

struct Entry {
  const Key* key;
  Value value;
  // Where it is said: "/etc/wharf/wharfd.toml:3", "WHARFD_LISTEN", "--listen".
  std::string origin;
  // How a complaint begins: "/etc/wharf/wharfd.toml:3: listen", "WHARFD_LISTEN", "--listen".
  std::string subject;
  // The same of each text of an array, which may have a line of its own.
  std::vector<std::string> subjects_of_texts{};
};

}  // namespace wharf::config

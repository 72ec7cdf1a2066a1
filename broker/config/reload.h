// Reload: what a configuration that is read anew changes of the one that runs. Pure; for the
// daemon's Reloader.
#pragma once

#include <string>
#include <vector>

#include "broker/config/configuration.h"

namespace wharf::config {

struct Change {
  const Key* key;
  // As it would stand in a file.
  std::string before;
  std::string after;
  // Empty: it is the default again.
  std::string origin;
};

struct Reload {
  // What runs, with all that a running daemon takes over.
  Settings settings;
  std::vector<Change> taken;
  // For the next start.
  std::vector<Change> waiting;
};

Reload Compare(const Settings& running, const Configuration& next);

// "log-level is now "debug", and was "info" (/etc/wharf/wharfd.toml:3)".
std::string ToSentence(const Change& change, bool is_taken);

}  // namespace wharf::config

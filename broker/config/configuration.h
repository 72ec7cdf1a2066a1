// Configuration: what is in force, and who said so: a flag over a variable over the file over the
// default.
//
// Made on the main thread, at the start and when a reload is asked for; a value.
#pragma once

#include <string>
#include <vector>

#include "broker/config/complaints.h"
#include "broker/config/entry.h"

namespace wharf::config {

struct Configuration {
  Settings settings;
  // Of each key, by its place in the table; empty for a default.
  std::vector<std::string> origins = std::vector<std::string>(Keys().size());

  const std::string& OriginOf(const Key& key) const { return origins[PlaceOf(key)]; }
};

// Where it comes from. Variables and flags stay what they were at the start; the file may change.
struct Sources {
  // Empty: none.
  std::string file;
  std::vector<Entry> variables;
  std::vector<Entry> flags;
};

struct Reading {
  Configuration configuration;
  // If there are any, the configuration is not to be used.
  Complaints complaints;
};

// Everything that is said is looked at, also what something else overrides.
Reading ReadConfiguration(const Sources& sources);

// What must be said and is not.
std::vector<const Key*> MissingKeys(const Configuration& configuration);
// Such a configuration starts no broker. Only if nothing else is wrong: that may be why.
void ComplainOfMissing(Reading& reading);

// Who could reach it that may not, and what is said in vain. Looked at when all is read: what is
// good by itself may depend on other keys.
void ComplainOfListeners(Reading& reading);

// The listeners that are there only because `insecure` is set, each with what it lacks:
// "0.0.0.0:5680 without TLS".
std::vector<std::string> InsecureListeners(const Settings& settings);

// The entries in this order, the later over the earlier.
void Apply(const std::vector<Entry>& entries, Reading& reading);

}  // namespace wharf::config

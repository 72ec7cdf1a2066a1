// Contexts: connection strings with names, and how to speak TLS with whom they lead to, kept for
// later commands in a file of the user's.
//
// $XDG_CONFIG_HOME/wharf/contexts.json or ~/.config/wharf/contexts.json, mode 0600; one that others
// may read is refused. It is written whole or not at all, by one command at a time. Used on the
// main thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "storage/base/status.h"
#include "tools/wharf/tls_options.h"

namespace wharf::tool {

struct Context {
  std::string connection_string;
  // Its files are named by their whole paths, and stay where they are.
  TlsOptions tls{};
};

class Contexts {
 public:
  // Those of the file; none if there is no file.
  static Result<Contexts> Load();
  // For Save: other commands that change them wait until this value and its copies are gone.
  static Result<Contexts> LoadToChange();
  Status Save() const;

  const std::map<std::string, Context>& all() const { return all_; }
  // Empty: none is in use.
  const std::string& current() const { return current_; }

  Result<Context> Find(const std::string& name) const;
  // The first one is in use from then on.
  Status Add(const std::string& name, Context context);
  Status Use(const std::string& name);
  Status Remove(const std::string& name);

 private:
  std::string path_;
  std::shared_ptr<const void> lock_;
  std::map<std::string, Context> all_;
  std::string current_;
};

}  // namespace wharf::tool

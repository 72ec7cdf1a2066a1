// Reloader: reads the configuration anew while the daemon runs, and hands it what can change.
//
// A configuration that has errors changes nothing, nor does one whose files have, or that the next
// start would refuse. Made by main.cc and called on the main thread (StopSignal).
#pragma once

#include <functional>
#include <string>

#include "broker/config/configuration.h"
#include "broker/config/reload.h"
#include "storage/base/status.h"

namespace wharf {

class Reloader {
 public:
  // Hears what is in force from now on; after an error nothing of it is.
  using Apply = std::function<Status(const config::Settings& settings)>;

  // `running` is what the daemon was started with, made of these sources.
  Reloader(config::Sources sources, config::Settings running, Apply apply);

  // False: nothing was, and the log has why.
  bool Reload();

 private:
  bool Take(const config::Reload& reload);
  void Tell(const config::Reload& reload) const;
  // The file, if there is one.
  std::string Source() const;

  const config::Sources sources_;
  config::Settings running_;
  const Apply apply_;
};

}  // namespace wharf

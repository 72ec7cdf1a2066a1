// Reloader: reads the configuration anew while the daemon runs, and hands it what can change.
//
// A configuration that has errors changes nothing. Made by main.cc and called on the main thread
// (StopSignal).
#pragma once

#include <functional>

#include "broker/config/configuration.h"
#include "broker/config/reload.h"

namespace wharf {

class Reloader {
 public:
  // Hears what is in force from now on.
  using Apply = std::function<void(const config::Settings& settings)>;

  // `running` is what the daemon was started with, made of these sources.
  Reloader(config::Sources sources, config::Settings running, Apply apply);

  void Reload();

 private:
  void Take(const config::Reload& reload);
  void Tell(const config::Reload& reload) const;

  const config::Sources sources_;
  config::Settings running_;
  const Apply apply_;
};

}  // namespace wharf

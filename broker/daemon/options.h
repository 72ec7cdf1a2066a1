// DaemonOptions: what wharfd is told on its command line. Filled by main.cc.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "broker/engine/shard.h"
#include "storage/disk/space_keeper.h"

namespace wharf {

struct DaemonOptions {
  std::string data;
  std::string listen = "127.0.0.1:5680";
  bool accept_clock = false;
  bool has_manual_clock = false;
  std::string log_level = "info";
  ShardLimits limits;
  SpaceLimits space;
};

// Adds every option to `app`; parsing it fills `options`, which must outlive it.
void AddOptions(CLI::App& app, DaemonOptions& options);

// What the parser does not look at: a CLI::ParseError if --data is missing.
void CheckOptions(const CLI::App& app);

}  // namespace wharf

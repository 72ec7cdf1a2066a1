// Program: what all commands share: the address, the way of printing, the broker, the exit code.
//
// Made by main. A command adds itself with its options to the command line and, when it is chosen,
// sets `action`, which main runs once the broker is reached. Used on the main thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "storage/base/time.h"
#include "tools/client/client.h"
#include "tools/wharf/exit_code.h"
#include "tools/wharf/json.h"

namespace wharf::tool {

class Program {
 public:
  std::string address = "127.0.0.1:5680";
  // JSON instead of tables and text.
  bool is_json = false;
  std::function<ExitCode()> action;

  // Connects and runs the action.
  ExitCode Run();
  // Connected. Only within the action.
  client::Client& client() { return *client_; }

 private:
  std::optional<client::Client> client_;
};

// Says on stderr what went wrong, and finds the exit code for it.
ExitCode Fail(const Status& status);
ExitCode FailUsage(const Status& status);
void PrintError(const Status& status);

void PrintJson(const Json& json);

// "cancelled 3", or {"cancelled":3}.
ExitCode PrintDone(const Program& program, const std::string& what, std::int64_t count);

// An option that holds a duration, with its default shown in the help.
CLI::Option* AddDurationOption(CLI::App& command, const std::string& name, Duration& duration,
                               const std::string& help);

// The path of a queue's dead-letter queue.
std::string DeadLetterPath(const std::string& queue);

}  // namespace wharf::tool

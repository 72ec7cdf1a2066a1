// Program: what all commands share: the address, the outputs, the broker, the exit code.
//
// Made by main. A command adds itself with its options to the command line and, when it is chosen,
// sets `action`, which main runs once the broker is reached. Used on the main thread, but for the
// outputs and PrintError, which any thread may use.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "storage/base/time.h"
#include "tools/client/client.h"
#include "tools/wharf/exit_code.h"
#include "tools/wharf/json.h"
#include "tools/wharf/output.h"

namespace wharf::tool {

class Program {
 public:
  std::string address = "127.0.0.1:5680";
  // JSON instead of tables and text.
  bool is_json = false;
  // What was asked for, and what else there is to say.
  Output out{stdout};
  Output err{stderr};
  std::function<ExitCode()> action;

  // Connects and runs the action.
  ExitCode Run();
  // Connected. Only within the action.
  client::Client& client() { return *client_; }

  // Say on stderr what went wrong, as a sentence or as JSON, and find the exit code for it.
  ExitCode Fail(const Status& status);
  ExitCode FailUsage(const Status& status);
  void PrintError(const Status& status);
  // The last step: `code`, unless what was printed did not get out.
  ExitCode Finish(ExitCode code);

 private:
  std::optional<client::Client> client_;
};

// "cancelled 3", or {"cancelled":3}.
ExitCode PrintDone(Program& program, const std::string& what, std::int64_t count);

// An option that holds a duration, with its default shown in the help.
CLI::Option* AddDurationOption(CLI::App& command, const std::string& name, Duration& duration,
                               const std::string& help);

// The path of a queue's dead-letter queue.
std::string DeadLetterPath(const std::string& queue);

}  // namespace wharf::tool

// Program: what all commands share: the address, the outputs, the broker, the exit code.
//
// Made by main. A command adds itself with its options to the command line and, when it is chosen,
// sets `action`, which main runs once the broker is reached. Used on the main thread, but for the
// outputs and PrintError, which any thread may use.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "storage/base/time.h"
#include "tools/client/client.h"
#include "tools/wharf/access/connection.h"
#include "tools/wharf/entities/entity_argument.h"
#include "tools/wharf/exit_code.h"
#include "tools/wharf/terminal/output.h"
#include "tools/wharf/text/json.h"
#include "tools/wharf/tls_options.h"

namespace wharf::tool {

class Program {
 public:
  // Which broker, and with which proof.
  GivenConnection given;
  TlsOptions tls;
  // JSON instead of tables and text.
  bool is_json = false;
  // What was asked for, and what else there is to say.
  Output out{stdout};
  Output err{stderr};
  std::function<ExitCode()> action;
  // Instead of `action`: what needs no broker.
  void SetLocalAction(std::function<ExitCode()> action) { local_action_ = std::move(action); }
  // The action asks a node that need not lead.
  bool asks_any_node = false;
  // How long to wait for a broker that does not answer, or for a leader.
  Duration connect_timeout = std::chrono::seconds(10);

  // Connects, if that is needed, and runs the action.
  ExitCode Run();
  // Only within the action: connected, to this.
  client::Client& client() { return *client_; }
  const client::Target& target() const { return target_; }

  // Say on stderr what went wrong, as a sentence or as JSON, and find the exit code for it.
  ExitCode Fail(const Status& status);
  // What the broker never heard of: without the reason, which is always the same.
  ExitCode FailUsage(const Status& status);
  void PrintError(const Status& status);
  // The last step: `code`, unless what was printed did not get out.
  ExitCode Finish(ExitCode code);

 private:
  void PrintErrorJson(const Status& status);
  void WarnOfSecrets();

  std::function<ExitCode()> local_action_;
  client::Target target_;
  std::optional<client::Client> client_;
};

// "cancelled 3", or {"cancelled":3}.
ExitCode PrintDone(Program& program, const std::string& what, std::int64_t count);

// An option that holds a duration, with its default shown in the help.
CLI::Option* AddDurationOption(CLI::App& command, const std::string& name, Duration& duration,
                               const std::string& help);

}  // namespace wharf::tool

#include "tools/wharf/sessions/session_command.h"

#include <memory>
#include <optional>

#include <fmt/core.h>

#include "tools/wharf/sessions/session_list.h"
#include "tools/wharf/sessions/session_state.h"
#include "tools/wharf/text/field_text.h"
#include "tools/wharf/text/lock_token_text.h"
#include "tools/wharf/text/printable_text.h"
#include "tools/wharf/text/token_list.h"

namespace wharf::tool {
namespace {

struct SessionOptions {
  std::string queue;
  // Of `accept`: nothing for the next one.
  std::optional<std::string> id;
  Duration wait{};
  std::string token;
};

// The token as the other commands take it, not as bytes.
Json ToJson(const v1::AcceptedSession& session) {
  Json json = FieldsToJson(session);
  json["session_lock_token"] = FormatLockToken(session.session_lock_token());
  return json;
}

ExitCode Accept(Program& program, const SessionOptions& options) {
  client::Sessions& sessions = program.client().sessions();
  const auto session = options.id ? sessions.AcceptSession(options.queue, *options.id)
                                  : sessions.AcceptNextSession(options.queue, options.wait);
  if (!session.ok()) return program.Fail(session.status());
  if (program.is_json) {
    program.out.PrintJson(ToJson(*session));
  } else {
    program.out.Print("{}  session {}, locked until {}\n",
                      FormatLockToken(session->session_lock_token()),
                      Printable(session->session_id()), TimeText(session->locked_until()));
  }
  return ExitCode::kOk;
}

ExitCode Renew(Program& program, const SessionOptions& options) {
  const auto renewed = program.client().sessions().RenewSessionLock(options.queue, options.token);
  if (!renewed.ok()) return program.Fail(renewed.status());
  if (program.is_json) {
    program.out.PrintJson(FieldsToJson(*renewed));
  } else {
    program.out.Print("{}  locked until {}\n", FormatLockToken(options.token),
                      TimeText(renewed->locked_until()));
  }
  return ExitCode::kOk;
}

ExitCode PrintReleased(Program& program, const std::string& what) {
  if (program.is_json) {
    program.out.PrintJson({{"released", what}});
  } else {
    program.out.Print("released {}\n", what);
  }
  return ExitCode::kOk;
}

ExitCode Release(Program& program, const SessionOptions& options) {
  const Status released = program.client().sessions().ReleaseSession(options.queue, options.token);
  return released.ok() ? PrintReleased(program, FormatLockToken(options.token))
                       : program.Fail(released);
}

ExitCode ForceRelease(Program& program, const SessionOptions& options) {
  const Status released =
      program.client().sessions().ForceReleaseSession(options.queue, *options.id);
  return released.ok() ? PrintReleased(program, *options.id) : program.Fail(released);
}

CLI::App& AddSessionVerb(CLI::App& noun, Program& program, const std::string& verb,
                         const std::string& help, const std::shared_ptr<SessionOptions>& options,
                         ExitCode (*run)(Program&, const SessionOptions&)) {
  CLI::App& command = *noun.add_subcommand(verb, help);
  AddSourceArgument(command, options->queue);
  command.callback([options, run, &program] {
    program.action = [options, run, &program] { return run(program, *options); };
  });
  return command;
}

void AddAccept(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<SessionOptions>();
  CLI::App& command = AddSessionVerb(
      noun, program, "accept",
      "Lock a session and print its token, for wharf receive --session-token; it stays "
      "locked for the queue's lock duration",
      options, Accept);
  CLI::Option* id = command.add_option("SESSION", options->id,
                                       "Its id; without one, the next session that has something "
                                       "to deliver and that nobody holds");
  AddDurationOption(command, "--wait", options->wait,
                    "How long to wait for the next session, at most 5m")
      ->excludes(id);
}

void AddTokenVerb(CLI::App& noun, Program& program, const std::string& verb,
                  const std::string& help, ExitCode (*run)(Program&, const SessionOptions&)) {
  const auto options = std::make_shared<SessionOptions>();
  CLI::App& command = AddSessionVerb(noun, program, verb, help, options, run);
  AddSessionTokenOption(command, "TOKEN", options->token)->required();
}

void AddForceRelease(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<SessionOptions>();
  CLI::App& command = AddSessionVerb(
      noun, program, "force-release",
      "Take a session away from whoever holds it: its messages come back without counting", options,
      ForceRelease);
  command.add_option("SESSION", options->id, "Its id")->required();
}

}  // namespace

void AddSessionCommand(CLI::App& app, Program& program) {
  CLI::App& noun = *app.add_subcommand(
      "session", "Accept, renew and release sessions, keep their state, look at those of a queue");
  noun.require_subcommand(1);
  noun.fallthrough();
  AddAccept(noun, program);
  AddTokenVerb(noun, program, "renew",
               "Renew the lock of a session: it holds for the queue's lock duration from now",
               Renew);
  AddTokenVerb(noun, program, "release",
               "Give a session up: what was delivered of it comes back without counting", Release);
  AddSessionStateCommand(noun, program);
  AddSessionListCommands(noun, program);
  AddForceRelease(noun, program);
}

}  // namespace wharf::tool

#include "tools/wharf/sessions/session_list.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "tools/wharf/messages/message_table.h"
#include "tools/wharf/terminal/table.h"
#include "tools/wharf/text/field_text.h"
#include "tools/wharf/text/moment.h"
#include "tools/wharf/text/number_option.h"

namespace wharf::tool {
namespace {

constexpr std::uint64_t kPageMax = 250;

struct SessionListOptions {
  std::string queue;
  std::uint64_t sessions_max = 0;
  std::optional<Moment> state_since;
  TimeDigits digits = TimeDigits::kToTheSecond;
};

const std::vector<Column> kColumns = {{"SESSION", Column::Kind::kText},
                                      {"MESSAGES", Column::Kind::kNumber},
                                      {"OLDEST", Column::Kind::kNumber, /*is_optional=*/true},
                                      {"ENQUEUED", Column::Kind::kWord, /*is_optional=*/true},
                                      {"LOCKED UNTIL", Column::Kind::kWord},
                                      {"HOLDER", Column::Kind::kText, /*is_optional=*/true},
                                      {"LOCKED SINCE", Column::Kind::kWord, /*is_optional=*/true},
                                      {"STATE", Column::Kind::kNumber}};

// "-" for what a session has not.
std::string TimeOrDash(bool has_time, const google::protobuf::Timestamp& time, TimeDigits digits) {
  return has_time ? TimeText(time, digits) : "-";
}

// "-" where nobody holds it, or who does is not known, or not for the caller.
std::string HolderText(const v1::SessionProperties& session) {
  if (!session.has_locked_by()) return "-";
  if (!session.has_locked_by_identity()) return session.locked_by();
  return fmt::format("{} as {}", session.locked_by(), session.locked_by_identity());
}

std::vector<std::string> CellsOf(const v1::SessionProperties& session, TimeDigits digits) {
  return {
      session.session_id(),
      fmt::format("{}{}", session.message_count(), session.has_more_messages() ? "+" : ""),
      session.has_oldest_sequence_number() ? std::to_string(session.oldest_sequence_number()) : "-",
      TimeOrDash(session.has_oldest_enqueued_time(), session.oldest_enqueued_time(), digits),
      TimeOrDash(session.has_locked_until(), session.locked_until(), digits),
      HolderText(session),
      TimeOrDash(session.has_locked_since(), session.locked_since(), digits),
      session.has_state_size() ? std::to_string(session.state_size()) : "-"};
}

ExitCode List(Program& program, const SessionListOptions& options) {
  v1::ListSessionsRequest request;
  request.set_entity_path(options.queue);
  if (options.state_since) {
    const auto since = Resolve(program, *options.state_since);
    if (!since.ok()) return program.Fail(since.status());
    *request.mutable_state_updated_since() = *since;
  }
  Table table(kColumns, program.out);
  std::uint64_t left = options.sessions_max;
  do {
    const std::uint64_t wanted = left == 0 ? kPageMax : std::min(left, kPageMax);
    request.set_page_size(static_cast<std::uint32_t>(wanted));
    const auto page = program.client().sessions().ListSessions(request);
    if (!page.ok()) return program.Fail(page.status());
    for (const v1::SessionProperties& session : page->sessions()) {
      if (program.is_json) {
        program.out.PrintJson(FieldsToJson(session));
      } else {
        table.Add(CellsOf(session, options.digits));
      }
    }
    const auto count = static_cast<std::uint64_t>(page->sessions_size());
    if (left > 0 && left <= count) break;
    if (left > 0) left -= count;
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty() && !program.out.is_broken());
  if (!program.is_json) table.End();
  return ExitCode::kOk;
}

ExitCode Deepest(Program& program, const SessionListOptions& options) {
  const auto deepest = program.client().sessions().ListDeepestSessions(
      options.queue, static_cast<std::uint32_t>(options.sessions_max));
  if (!deepest.ok()) return program.Fail(deepest.status());
  if (program.is_json) {
    Json sessions = Json::array();
    for (const auto& session : deepest->sessions()) sessions.push_back(FieldsToJson(session));
    program.out.PrintJson({{"as_of", TimeText(deepest->as_of(), TimeDigits::kAll)},
                           {"sessions", std::move(sessions)}});
    return ExitCode::kOk;
  }
  program.out.Print("as of {}\n", TimeText(deepest->as_of()));
  Table table({{"SESSION", Column::Kind::kText}, {"MESSAGES", Column::Kind::kNumber}}, program.out);
  for (const auto& session : deepest->sessions()) {
    table.Add({session.session_id(), std::to_string(session.message_count())});
  }
  table.End();
  return ExitCode::kOk;
}

CLI::App& AddListVerb(CLI::App& noun, Program& program, const std::string& verb,
                      const std::string& help, const std::shared_ptr<SessionListOptions>& options,
                      ExitCode (*run)(Program&, const SessionListOptions&)) {
  CLI::App& command = *noun.add_subcommand(verb, help);
  AddSourceArgument(command, options->queue);
  command.callback([options, run, &program] {
    program.action = [options, run, &program] { return run(program, *options); };
  });
  return command;
}

}  // namespace

void AddSessionListCommands(CLI::App& session, Program& program) {
  const auto list = std::make_shared<SessionListOptions>();
  CLI::App& list_command = AddListVerb(
      session, program, "list",
      "List sessions with messages, state or a holder, in the order of their ids; a + behind the "
      "number of messages says that there are more",
      list, List);
  AddNumberOption(list_command, "--max,-n", list->sessions_max,
                  "At most so many sessions; 0 for all");
  AddPreciseFlag(list_command, list->digits);
  AddMomentOption(list_command, "--state-since", list->state_since,
                  "Only sessions whose state was set since then: 2026-01-31T12:00:00Z, or -1h from "
                  "now, with an equals sign: --state-since=-1h");

  const auto deepest = std::make_shared<SessionListOptions>();
  deepest->sessions_max = 10;
  CLI::App& deepest_command = AddListVerb(
      session, program, "deepest",
      "Show the sessions with the most messages that nobody has locked", deepest, Deepest);
  AddNumberOption(deepest_command, "--max,-n", deepest->sessions_max, "At most so many sessions",
                  {.min = 1, .max = 100});
}

}  // namespace wharf::tool

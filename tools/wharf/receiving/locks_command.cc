#include "tools/wharf/receiving/locks_command.h"

#include <memory>
#include <string>

#include "tools/wharf/entities/entity_argument.h"
#include "tools/wharf/terminal/table.h"
#include "tools/wharf/text/lock_token_text.h"
#include "tools/wharf/text/time_text.h"

namespace wharf::tool {
namespace {

constexpr std::uint32_t kPageMax = 1000;

struct LocksOptions {
  std::string queue;
  bool is_dead_letter = false;
};

std::string KindText(const v1::LockHolder& holder) {
  return holder.kind() == v1::LockHolder::KIND_STREAM ? "stream" : "call";
}

std::string HolderText(const v1::LockProperties& lock) {
  if (!lock.has_holder()) return "before the restart";
  return KindText(lock.holder()) + (lock.holder().is_at_limit() ? ", at its limit" : "");
}

std::vector<std::string> CellsOf(const v1::LockProperties& lock) {
  return {std::to_string(lock.sequence_number()),
          "..." + FormatLockToken(lock.lock_token_end()),
          HolderText(lock),
          lock.has_holder() ? lock.holder().peer() : "-",
          lock.has_locked_until() ? TimeText(lock.locked_until()) : "as its session",
          lock.has_locked_since() ? TimeText(lock.locked_since()) : "-",
          lock.has_session_id() ? lock.session_id() : "-"};
}

Json JsonOf(const v1::LockProperties& lock) {
  Json json = {{"sequence_number", lock.sequence_number()},
               {"lock_token_end", FormatLockToken(lock.lock_token_end())}};
  if (lock.has_locked_since()) {
    json["locked_since"] = TimeText(lock.locked_since(), TimeDigits::kAll);
  }
  if (lock.has_locked_until()) {
    json["locked_until"] = TimeText(lock.locked_until(), TimeDigits::kAll);
  }
  if (lock.has_session_id()) json["session_id"] = lock.session_id();
  if (lock.has_holder()) {
    json["holder"] = {{"kind", KindText(lock.holder())},
                      {"peer", lock.holder().peer()},
                      {"is_at_limit", lock.holder().is_at_limit()}};
  }
  return json;
}

// Calls `take` with each lock.
template <typename Take>
Status ForEachLock(Program& program, const LocksOptions& options, Take take) {
  v1::ListLocksRequest request;
  request.set_entity_path(options.is_dead_letter ? DeadLetterPath(options.queue) : options.queue);
  request.set_page_size(kPageMax);
  do {
    const auto page = program.client().management().ListLocks(request);
    if (!page.ok()) return page.status();
    for (const v1::LockProperties& lock : page->locks()) take(lock);
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty() && !program.out.is_broken());
  return {};
}

ExitCode ListAsJson(Program& program, const LocksOptions& options) {
  Json locks = Json::array();
  const Status status = ForEachLock(
      program, options, [&](const v1::LockProperties& lock) { locks.push_back(JsonOf(lock)); });
  if (!status.ok()) return program.Fail(status);
  program.out.PrintJson({{"locks", std::move(locks)}});
  return ExitCode::kOk;
}

ExitCode ListAsTable(Program& program, const LocksOptions& options) {
  Table table({{"NUMBER", Column::Kind::kNumber},
               {"TOKEN", Column::Kind::kWord},
               {"HOLDER", Column::Kind::kWord},
               {"PEER", Column::Kind::kText},
               {"UNTIL", Column::Kind::kWord},
               {"SINCE", Column::Kind::kWord, /*is_optional=*/true},
               {"SESSION", Column::Kind::kText, /*is_optional=*/true}},
              program.out);
  const Status status = ForEachLock(
      program, options, [&](const v1::LockProperties& lock) { table.Add(CellsOf(lock)); });
  if (!status.ok()) return program.Fail(status);
  table.End();
  return ExitCode::kOk;
}

ExitCode List(Program& program, const LocksOptions& options) {
  return program.is_json ? ListAsJson(program, options) : ListAsTable(program, options);
}

}  // namespace

void AddLocksCommand(CLI::App& app, Program& program) {
  const auto options = std::make_shared<LocksOptions>();
  CLI::App& command = *app.add_subcommand(
      "locks",
      "Who holds what: the locked messages of a queue, until when, and by which connection. A "
      "holder at its limit gets more when it has settled some");
  AddSourceArgument(command, options->queue);
  AddDeadLetterFlag(command, options->is_dead_letter, "Those of its dead-letter queue instead");
  command.callback([options, &program] {
    program.action = [options, &program] { return List(program, *options); };
  });
}

}  // namespace wharf::tool

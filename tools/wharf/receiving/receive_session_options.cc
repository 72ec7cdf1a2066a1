#include "tools/wharf/receiving/receive_session_options.h"

#include "tools/wharf/text/number_option.h"
#include "tools/wharf/text/token_list.h"
#include "tools/wharf/text/utf8.h"

namespace wharf::tool {
namespace {

void AddManyOptions(CLI::App& command, client::ManySessions& many, CLI::Option* all) {
  AddNumberOption(command, "--max-sessions", many.concurrent_max,
                  "With --all-sessions: how many are held at a time", {.min = 1, .max = 1000})
      ->needs(all);
  AddNumberOption(command, "--max-per-turn", many.messages_per_turn,
                  "With --all-sessions: how many messages of a session before others get their "
                  "turn; 0 for as many as there are")
      ->needs(all);
  AddDurationOption(command, "--idle", many.idle_timeout,
                    "With --all-sessions: how long a session is kept that has nothing more, at "
                    "most 1h")
      ->needs(all);
}

}  // namespace

void AddSessionOptions(CLI::App& command, GivenSession& session) {
  CLI::Option* id = command
                        .add_option("--session", session.id,
                                    "Accept the session with this id, and receive from it")
                        ->check(CheckUtf8)
                        ->type_name("ID");
  CLI::Option* next =
      command
          .add_flag("--next-session", session.is_next,
                    "Accept the next session that has something to deliver; --wait says how long "
                    "to wait for it, too")
          ->excludes(id);
  CLI::Option* token = AddSessionTokenOption(command, "--session-token", session.token)
                           ->excludes(id)
                           ->excludes(next);
  CLI::Option* all = command
                         .add_flag("--all-sessions", session.is_many,
                                   "Accept one session after the other, several at a time")
                         ->excludes(id)
                         ->excludes(next)
                         ->excludes(token);
  AddManyOptions(command, session.many, all);
}

client::SessionOption ToSessionOption(const GivenSession& session, Duration wait) {
  if (session.id) return client::NamedSession{*session.id};
  if (session.is_next) return client::NextSession{wait};
  if (session.is_many) return session.many;
  if (!session.token.empty()) return client::HeldSession{session.token};
  return {};
}

}  // namespace wharf::tool

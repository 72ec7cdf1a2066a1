#include "tools/wharf/terminal/consent.h"

#include <iostream>

#include <fmt/core.h>
#include <unistd.h>

#include "absl/strings/ascii.h"
#include "tools/wharf/terminal/progress_bar.h"

namespace wharf::tool {
namespace {

constexpr std::size_t kNowhere = std::string::npos;
const char* const kDeadLetterEnd = "/$deadletterqueue";
const char* const kSubscriptionMiddle = "/subscriptions/";

struct Counts {
  std::int64_t own = 0;
  std::int64_t dead_lettered = 0;
};

// Neither kind counts in the other; what is about to be forwarded would be gone as well.
template <typename Runtime>
Counts CountsOf(const Runtime& runtime) {
  const std::int64_t dead_lettered = runtime.dead_letter_message_count();
  return {.own = runtime.total_message_count() - dead_lettered, .dead_lettered = dead_lettered};
}

Result<Counts> CountsOfEntity(Program& program, const std::string& path) {
  const std::size_t middle = absl::AsciiStrToLower(path).find(kSubscriptionMiddle);
  if (middle == kNowhere) {
    const auto runtime = program.client().management().GetQueueRuntimeProperties(path);
    if (!runtime.ok()) return runtime.status();
    return CountsOf(*runtime);
  }
  const client::SubscriptionId id = {
      .topic = path.substr(0, middle),
      .name = path.substr(middle + std::char_traits<char>::length(kSubscriptionMiddle))};
  const auto runtime = program.client().topics().GetSubscriptionRuntimeProperties(id);
  if (!runtime.ok()) return runtime.status();
  return CountsOf(*runtime);
}

std::string MessagesText(std::int64_t count) {
  return fmt::format("{} message{}", WithThousands(static_cast<std::uint64_t>(count)),
                     count == 1 ? "" : "s");
}

bool IsYes(const std::string& answer) {
  const std::string lower = absl::AsciiStrToLower(answer);
  return lower == "y" || lower == "yes";
}

}  // namespace

void AddYesOption(CLI::App& command, bool& is_sure) {
  command.add_flag("--yes,-y", is_sure,
                   "Do not ask first; without a terminal nothing is ever asked");
}

ExitCode WithConsent(Program& program, bool is_sure,
                     const std::function<Result<std::string>()>& question,
                     const std::function<ExitCode()>& work) {
  if (is_sure || isatty(STDIN_FILENO) == 0 || !program.err.is_terminal()) return work();
  const Result<std::string> asked = question();
  if (!asked.ok()) return program.Fail(asked.status());
  program.err.Print("{} [y/N] ", *asked);
  program.err.Flush();
  std::string answer;
  std::getline(std::cin, answer);
  if (IsYes(answer)) return work();
  program.err.Print("wharf: nothing was done\n");
  return ExitCode::kFailed;
}

Result<std::string> MessagesIn(Program& program, const std::string& path) {
  const bool is_dead_letter = absl::AsciiStrToLower(path).ends_with(kDeadLetterEnd);
  const Result<Counts> counts = CountsOfEntity(program, EntityOf(path));
  if (!counts.ok()) return counts.status();
  if (is_dead_letter) return MessagesText(counts->dead_lettered);
  if (counts->dead_lettered == 0) return MessagesText(counts->own);
  return fmt::format("{}, and {} in its dead-letter queue", MessagesText(counts->own),
                     WithThousands(static_cast<std::uint64_t>(counts->dead_lettered)));
}

}  // namespace wharf::tool

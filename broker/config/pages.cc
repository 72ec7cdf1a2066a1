#include "broker/config/pages.h"

#include <sstream>
#include <string_view>

#include <absl/strings/escaping.h>
#include <fmt/core.h>

namespace wharf::config {
namespace {

constexpr std::size_t kCommentColumns = 100;
// Where the comments of most values begin.
constexpr std::size_t kOriginColumn = 40;

constexpr char kExampleHead[] =
    "The configuration of wharfd. Each key stands here with its default; take its # away to "
    "change "
    "it. "
    "Each is also a variable, WHARFD_LOG_LEVEL for log-level, and a flag, --log-level: a flag goes "
    "before a variable, a variable before this file. `wharfd config check --config FILE` tells "
    "what "
    "is wrong, `wharfd config print --config FILE` what is in force and who says so.";

// In lines that fit, each behind "# ".
std::string Comment(const std::string& text) {
  std::string comment;
  std::string line = "#";
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (line.size() + 1 + word.size() > kCommentColumns) {
      comment += line + '\n';
      line = "#";
    }
    line += fmt::format(" {}", word);
  }
  return comment + line + '\n';
}

// What is not said in the help.
std::string FactsOf(const Key& key) {
  return fmt::format("Takes {}. Changes with a {}.", AllowedOf(key),
                     key.is_reloadable ? "reload" : "restart");
}

std::string ExampleOf(const Key& key) {
  if (const auto* const text = std::get_if<Text>(&key.kind)) {
    return fmt::format("{} = \"{}\"\n", key.name, text->example);
  }
  return fmt::format("# {} = {}\n", key.name, LiteralOf(key, Settings{}));
}

std::string EffectiveLine(const Key& key, const Configuration& configuration) {
  const std::string& origin = configuration.OriginOf(key);
  if (origin.empty() && key.is_needed()) {
    return fmt::format("# {} is {}\n", key.name,
                       configuration.settings.ephemeral ? "a folder of the process (ephemeral)"
                                                        : "needed, and not said");
  }
  const std::string line = fmt::format("{} = {}", key.name, LiteralOf(key, configuration.settings));
  return fmt::format("{:<{}} # {}\n", line, kOriginColumn,
                     origin.empty() ? "default" : absl::CHexEscape(origin));
}

}  // namespace

std::string EffectivePage(const Configuration& configuration) {
  std::string page;
  for (const Key& key : Keys()) page += EffectiveLine(key, configuration);
  return page;
}

std::string ExamplePage() {
  std::string page = Comment(kExampleHead);
  for (const Key& key : Keys()) {
    page += '\n' + Comment(std::string(key.help) + '.') + Comment(FactsOf(key)) + ExampleOf(key);
  }
  return page;
}

}  // namespace wharf::config

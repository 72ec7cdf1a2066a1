#include "tools/ledger/ledger.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace wharf {
namespace {

// In the order in which a reader looks for them.
using Json = nlohmann::ordered_json;

Json ToJson(const LedgerLine& line) {
  Json json{{"what", line.what}, {"seed", line.seed}, {"seeds", line.seeds}};
  if (line.rounds_wanted > 0) {
    json["rounds"] = line.rounds;
    json["rounds_wanted"] = line.rounds_wanted;
  }
  json["kinds"] = line.kinds;
  json["violations"] = line.violations;
  json["verdict"] = line.verdict;
  json["seconds"] = static_cast<std::uint64_t>(line.seconds);
  json["commit"] = line.commit;
  json["ended_at"] = line.ended_at;
  return json;
}

// Nothing: it is no line of a ledger. Only what Note looks at is read.
std::optional<LedgerLine> Parse(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  const auto number = [&json](const char* name, std::uint64_t otherwise) {
    const auto found = json.find(name);
    return found != json.end() && found->is_number_unsigned() ? found->get<std::uint64_t>()
                                                              : otherwise;
  };
  if (!json.is_object() || !json.contains("what") || !json["what"].is_string()) return std::nullopt;
  LedgerLine line;
  line.what = json["what"].get<std::string>();
  line.seed = number("seed", 0);
  line.seeds = number("seeds", 0);
  line.rounds = number("rounds", 0);
  line.rounds_wanted = number("rounds_wanted", 0);
  if (line.seed == 0 || line.seeds == 0) return std::nullopt;
  return line;
}

// With "-dirty" behind it if files were changed since; empty: it stands in no repository.
std::string CommitOfProgram() {
  std::error_code ignored;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  const std::string command =
      fmt::format("git -C '{}' describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null",
                  folder.string());
  const std::unique_ptr<FILE, int (*)(FILE*)> git(popen(command.c_str(), "r"), pclose);
  std::array<char, 128> said{};
  if (git == nullptr || fgets(said.data(), said.size(), git.get()) == nullptr) return {};
  std::string commit(said.data());
  commit.erase(commit.find_last_not_of('\n') + 1);
  return commit;
}

std::string Now() {
  return fmt::format(
      "{:%Y-%m-%dT%H:%M:%SZ}",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

}  // namespace

Result<Ledger> Ledger::Open(std::string path) {
  Ledger ledger(std::move(path));
  std::ifstream file(ledger.path_);
  std::uint64_t number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    const std::optional<LedgerLine> line = Parse(text);
    if (!line) {
      return Status(ErrorCode::kArgumentError,
                    fmt::format("{}:{} is no line of a ledger", ledger.path_, number));
    }
    ledger.Note(*line);
  }
  return ledger;
}

void Ledger::Note(const LedgerLine& line) {
  Reach& reach = reaches_[line.what];
  reach.next_seed = std::max(reach.next_seed, line.seed + line.seeds);
  reach.rounds_left = line.was_stopped() ? line.rounds_wanted - line.rounds : 0;
}

std::uint64_t Ledger::NextSeed(std::string_view what) const {
  const auto found = reaches_.find(what);
  return found == reaches_.end() ? 1 : found->second.next_seed;
}

std::optional<std::uint64_t> Ledger::RoundsLeft(std::string_view what) const {
  const auto found = reaches_.find(what);
  if (found == reaches_.end() || found->second.rounds_left == 0) return std::nullopt;
  return found->second.rounds_left;
}

Status Ledger::Append(LedgerLine line) {
  if (line.commit.empty()) line.commit = CommitOfProgram();
  if (line.ended_at.empty()) line.ended_at = Now();
  std::ofstream file(path_, std::ios::app);
  file << ToJson(line).dump(-1, ' ', false, Json::error_handler_t::replace) << '\n' << std::flush;
  if (!file) return {ErrorCode::kGeneralError, "cannot write to " + path_};
  Note(line);
  return {};
}

}  // namespace wharf

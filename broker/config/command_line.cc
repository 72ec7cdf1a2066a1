#include "broker/config/command_line.h"

#include <cstdio>

#include <fmt/format.h>

#include "broker/config/environment.h"
#include "storage/base/nearest_word.h"

namespace wharf::config {
namespace {

constexpr char kAbout[] =
    "wharfd: a durable message broker with the semantics of Azure Service Bus.\n"
    "TERM and INT stop it in order: what it has taken is answered. HUP reads the file of --config\n"
    "anew. USR1 and USR2 mean nothing. Exit code: 0 stopped, 1 could not start or go on, 2 bad\n"
    "usage, or a configuration with errors.\n"
    "Each flag of a setting is also a key of that file and a variable: --log-level debug is\n"
    "log-level = \"debug\" and WHARFD_LOG_LEVEL=debug. A flag goes before a variable, a variable\n"
    "before the file.";

// A flag that came without the file that it may have is on.
std::string WithSwitch(const Key& key, const std::string& text) {
  const bool is_bare = text.empty() && std::holds_alternative<SwitchWithFile>(key.kind);
  return is_bare ? "on" : text;
}

// Sizes and times may be bare numbers here, as they were before there were units.
std::string WithUnit(const Key& key, const std::string& text) {
  const bool is_bare = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (!is_bare) return text;
  if (const auto* const size = std::get_if<Size>(&key.kind)) {
    return text + std::string(size->flag_unit);
  }
  return std::holds_alternative<Time>(key.kind) ? text + "s" : text;
}

std::string DefaultTextOf(const Key& key) {
  std::string text = LiteralOf(key, Settings{});
  if (text.starts_with('"')) text = text.substr(1, text.size() - 2);
  return text;
}

CLI::Option* AddFlag(CLI::App& app, const Key& key) {
  const std::string help(key.help);
  if (std::holds_alternative<Switch>(key.kind)) return app.add_flag(FlagOf(key), help);
  CLI::Option* const flag = app.add_option(FlagOf(key), help);
  flag->type_name(SyntaxOf(key))->expected(1);
  if (std::holds_alternative<SwitchWithFile>(key.kind)) {
    // A default would stand in for the value that it may come without.
    flag->expected(0, 1);
    return flag;
  }
  // Those that come again are joined, as in a variable.
  if (key.is_list()) flag->join(key.separator());
  if (!key.is_needed()) flag->default_str(DefaultTextOf(key));
  return flag;
}

// The flag that was probably meant by what is none.
std::string AboutStranger(const std::string& word) {
  std::vector<std::string> names = {"config",     "recover", "restore",       "--accept-loss",
                                    "--new-keys", "--until", "--until-index", "--decrypt-with",
                                    "--config",   "--help",  "--version"};
  for (const Key& key : Keys()) names.push_back(FlagOf(key));
  const auto near = Nearest(word.substr(0, word.find('=')), names);
  return near ? fmt::format("Did you mean {}?\n", *near) : "";
}

}  // namespace

CommandLine::CommandLine() : app_(kAbout, "wharfd") {
  app_.set_version_flag("--version", "wharfd " WHARF_VERSION, "Print the version, and exit");
  app_.add_option("--config", file_, "The file that is read; none is read unless it is named")
      ->type_name("FILE")
      ->envname(kFileVariable);
  AddFlags();
  AddVerbs();
}

void CommandLine::AddFlags() {
  for (const Key& key : Keys()) flags_.push_back(AddFlag(app_, key));
}

void CommandLine::AddVerbs() {
  CLI::App* const config =
      app_.add_subcommand("config", "What wharfd is told, without starting it");
  config->require_subcommand(1)->fallthrough();
  const auto add = [&](const char* name, const char* help) {
    CLI::App* const verb = config->add_subcommand(name, help);
    return verb->fallthrough();
  };
  check_ =
      add("check",
          "Whether all that is said can be used, and the files that it names; exit code 2 if not");
  print_ = add("print", "What would be in force, as a file, and who says so");
  example_ = add("example", "A file with all keys, their defaults and what they mean");
  CLI::App* const recover = app_.add_subcommand(
      "recover",
      "Make a cluster of its own of the node whose folder --data and name --node say, which is\n"
      "stopped: when a majority of its cluster is gone for good. What the others had acknowledged\n"
      "and this node has not is lost. Without --accept-loss: how far this node's log goes");
  recover->add_flag("--accept-loss", accepts_loss_, "Do it");
  recover_ = recover->fallthrough();
  AddRestore();
}

void CommandLine::AddRestore() {
  CLI::App* const restore = app_.add_subcommand(
      "restore",
      "Make a new data folder of a backup (wharf backup create): messages keep their numbers and\n"
      "schedules, locks and sessions are free again, open transactions are rolled back, and new\n"
      "numbers begin far behind those of the backup. Also of a node's: the folder is that of a\n"
      "broker by itself, which may found a new cluster");
  restore->add_option("BACKUP", restoring_.backup, "The folder of the backup: BACKUP-FOLDER/LABEL")
      ->required();
  restore
      ->add_option("DATA", restoring_.data,
                   "The new folder, for --data; it must not be there, or empty")
      ->required();
  restore->add_flag("--new-keys", restoring_.makes_new_keys,
                    "Replace all keys of access, and print them: old ones open nothing there");
  restore
      ->add_option(
          "--decrypt-with", restoring_.decrypt_with,
          "The private key, in PEM, of the certificate that the backup is encrypted to. A\n"
          "passphrase is asked for. Again for the archive, if that has another one")
      ->type_name("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  AddUntil(*restore);
  restore_ = restore;
}

void CommandLine::AddUntil(CLI::App& restore) {
  const auto take_time = [this](const std::string& text) {
    restoring_.until_latest = text == "latest";
    restoring_.until = ParseUntil(text);
    if (restoring_.rolls_forward()) return;
    throw CLI::ValidationError(
        "--until", "a time as 2026-11-26T15:45:12Z, or latest; \"" + text + "\" is neither");
  };
  CLI::Option* const until =
      restore
          .add_option_function<std::string>(
              "--until", take_time,
              "Roll it forward with the archive beside it (archive-bytes): with all that was\n"
              "committed up to this time of the broker, as 2026-11-26T15:45:12Z; or latest")
          ->type_name("TIME");
  restore
      .add_option("--until-index", restoring_.until_index,
                  "The same, up to this commit, as wharf backup list counts them")
      ->type_name("COMMIT")
      ->excludes(until);
}

std::optional<int> CommandLine::Parse(int argc, const char* const* argv) {
  try {
    app_.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    return Refuse(error);
  }
}

int CommandLine::Refuse(const CLI::ParseError& error) {
  const int code = app_.exit(error);
  if (code == 0) return 0;
  for (const std::string& word : app_.remaining(/*recurse=*/true)) {
    std::fputs(AboutStranger(word).c_str(), stderr);
  }
  return 2;
}

CommandLine::Verb CommandLine::verb() const {
  if (check_->parsed()) return Verb::kCheck;
  if (print_->parsed()) return Verb::kPrint;
  if (recover_->parsed()) return Verb::kRecover;
  if (restore_->parsed()) return Verb::kRestore;
  return example_->parsed() ? Verb::kExample : Verb::kServe;
}

std::vector<Entry> CommandLine::Entries() const {
  std::vector<Entry> entries;
  for (const Key& key : Keys()) {
    const CLI::Option* const flag = flags_[PlaceOf(key)];
    if (flag->count() == 0) continue;
    const std::vector<std::string>& said = flag->results();
    const std::string text =
        key.is_list() ? fmt::format("{}", fmt::join(said, std::string(1, key.separator())))
                      : WithUnit(key, WithSwitch(key, said.back()));
    entries.push_back({&key, ValueOfText(key, text), FlagOf(key), FlagOf(key)});
  }
  return entries;
}

}  // namespace wharf::config

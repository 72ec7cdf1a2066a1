#include "tools/wharf/backup/backup_command.h"

#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "tools/wharf/terminal/consent.h"
#include "tools/wharf/terminal/progress_bar.h"
#include "tools/wharf/terminal/table.h"
#include "tools/wharf/text/field_text.h"
#include "tools/wharf/text/number_option.h"
#include "tools/wharf/text/printable_text.h"
#include "tools/wharf/top/screen.h"

namespace wharf::tool {
namespace {

constexpr auto kPollPace = std::chrono::milliseconds(200);

std::string Bytes(std::uint64_t bytes) { return ShortBytes(static_cast<double>(bytes)); }

// What it was that ended well.
void PrintEnded(Output& out, const v1::BackupWork& work) {
  if (work.verb() == v1::BackupWork::VERB_CREATE) {
    out.Print("made {}: {}, {} of them shared with the one before\n", Printable(work.label()),
              Bytes(work.byte_count()), Bytes(work.shared_byte_count()));
    if (!work.encrypted_to().empty()) {
      return out.Print("it is encrypted, and restored with the private key of {} alone\n",
                       Printable(work.encrypted_to()));
    }
    return out.Print("it has all messages and all keys of access, in the clear\n");
  }
  if (work.verb() == v1::BackupWork::VERB_VERIFY) {
    return out.Print("{} is whole: {}\n", Printable(work.label()), Bytes(work.byte_count()));
  }
  for (const std::string& label : work.removed()) out.Print("removed {}\n", Printable(label));
  if (work.removed().empty()) out.Print("removed none\n");
}

Result<v1::BackupWork> UntilItEnds(Program& program, v1::BackupWork work) {
  std::optional<ProgressBar> progress;
  Result<v1::BackupWork> told = std::move(work);
  while (told.ok() && told->under_way()) {
    if (!progress && told->of_byte_count() > 0) progress.emplace(told->of_byte_count(), "bytes");
    if (progress) progress->Update(told->byte_count());
    std::this_thread::sleep_for(kPollPace);
    told = program.client().backups().GetWork(told->id());
  }
  return told;
}

ExitCode Await(Program& program, const Result<v1::BackupWork>& begun) {
  if (!begun.ok()) return program.Fail(begun.status());
  const Result<v1::BackupWork> ended = UntilItEnds(program, *begun);
  if (!ended.ok()) return program.Fail(ended.status());
  if (program.is_json) {
    program.out.PrintJson(FieldsToJson(*ended));
  } else if (ended->trouble().empty()) {
    PrintEnded(program.out, *ended);
  } else {
    program.err.Print("{}\n", Printable(ended->trouble()));
  }
  return ended->trouble().empty() ? ExitCode::kOk : ExitCode::kFailed;
}

void PrintTable(Output& out, const v1::ListBackupsResponse& all) {
  using Kind = Column::Kind;
  Table table({{"BACKUP", Kind::kText},
               {"MADE AT", Kind::kWord},
               {"BYTES", Kind::kNumber},
               {"SHARED", Kind::kNumber},
               {"COMMITS", Kind::kNumber},
               {"ARCHIVED TO", Kind::kNumber, /*is_optional=*/true},
               {"ARCHIVED UNTIL", Kind::kWord, /*is_optional=*/true},
               {"ENCRYPTED TO", Kind::kText, /*is_optional=*/true},
               {"NODE", Kind::kText, /*is_optional=*/true},
               {"TROUBLE", Kind::kText}},
              out);
  for (const v1::Backup& backup : all.backups()) {
    if (!backup.trouble().empty()) {
      table.Add({backup.label(), "", "", "", "", "", "", "", "", backup.trouble()});
      continue;
    }
    const bool is_archived = backup.archived_commit_count() > 0;
    table.Add({backup.label(), TimeText(backup.created_at()), Bytes(backup.byte_count()),
               Bytes(backup.shared_byte_count()), std::to_string(backup.commit_count()),
               is_archived ? std::to_string(backup.archived_commit_count()) : "",
               is_archived ? TimeText(backup.archived_until()) : "", backup.encrypted_to(),
               backup.node_name(), ""});
  }
  table.End();
}

// Only what is missing between two runs is a hole; behind the last one may be what comes next.
void PrintArchive(Output& out, const v1::ListBackupsResponse& all) {
  std::uint64_t next = 0;
  for (const v1::ArchivedRun& run : all.archived()) {
    if (next > 0 && next < run.first_commit()) {
      out.Print("hole: commits {} to {} are in no archive\n", next, run.first_commit() - 1);
    }
    out.Print("archived: commits {} to {}, from {} to {}, {}{}\n", run.first_commit(),
              run.last_commit(), TimeText(run.first_at()), TimeText(run.last_at()),
              Bytes(run.byte_count()), run.encrypted() ? ", encrypted" : "");
    next = run.last_commit() + 1;
  }
  if (!all.archive_trouble().empty()) {
    out.Print("nothing is archived just now: {}\n", Printable(all.archive_trouble()));
  }
}

ExitCode List(Program& program) {
  const auto all = program.client().backups().List();
  if (!all.ok()) return program.Fail(all.status());
  if (!program.is_json) {
    PrintTable(program.out, *all);
    PrintArchive(program.out, *all);
    return ExitCode::kOk;
  }
  Json backups = Json::array();
  for (const v1::Backup& backup : all->backups()) backups.push_back(FieldsToJson(backup));
  Json archived = Json::array();
  for (const v1::ArchivedRun& run : all->archived()) archived.push_back(FieldsToJson(run));
  program.out.PrintJson({{"backups", std::move(backups)},
                         {"archived", std::move(archived)},
                         {"archive_trouble", all->archive_trouble()}});
  return ExitCode::kOk;
}

// Of the node at the address, whether it leads or not.
CLI::App& AddVerb(CLI::App& noun, Program& program, const std::string& verb,
                  const std::string& help, std::function<ExitCode()> run) {
  CLI::App& command = *noun.add_subcommand(verb, help);
  command.callback([run = std::move(run), &program] {
    program.asks_any_node = true;
    program.action = run;
  });
  return command;
}

// That of the recipient. A private key is nobody's to send.
Result<std::string> CertificateIn(const std::string& path) {
  constexpr std::size_t kBytesMax = 64 << 10;
  if (path.empty()) return std::string();
  std::ifstream file(path, std::ios::binary);
  std::string text(kBytesMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  const auto refuse = [&path](const char* why) {
    return Status(ErrorCode::kArgumentError, fmt::format("--encrypt-to: {} {}", path, why));
  };
  if (text.empty()) return refuse("cannot be read, or is empty");
  if (text.size() > kBytesMax) return refuse("is no certificate in PEM: it is too long");
  if (text.find("PRIVATE KEY") != std::string::npos) {
    return refuse("has a private key in it, which stays where it is: name the certificate alone");
  }
  return text;
}

struct Creating {
  std::string label;
  std::string encrypt_to;
};

ExitCode Create(Program& program, const Creating& creating) {
  const Result<std::string> certificate = CertificateIn(creating.encrypt_to);
  if (!certificate.ok()) return program.Fail(certificate.status());
  const Result<v1::BackupWork> work =
      program.client().backups().Create(creating.label, *certificate);
  if (work.ok() && !certificate->empty() && work->encrypted_to().empty()) {
    return program.Fail({ErrorCode::kInvalidOperation,
                         fmt::format("the broker is too old to encrypt, and makes {} in the clear: "
                                     "remove it",
                                     work->label())});
  }
  return Await(program, work);
}

void AddCreate(CLI::App& noun, Program& program) {
  const auto creating = std::make_shared<Creating>();
  CLI::App& command =
      AddVerb(noun, program, "create",
              "Make a backup while the broker serves, and wait for its end; only what is new is "
              "copied. It has all messages and all keys of access, in the clear unless it is "
              "encrypted",
              [creating, &program] { return Create(program, *creating); });
  command.add_option("LABEL", creating->label,
                     "What it is called: letters, digits, '-', '_' and '.'; without it, the time");
  command
      .add_option("--encrypt-to", creating->encrypt_to,
                  "A certificate in PEM: nobody reads the backup without its private key, which "
                  "wharfd restore --decrypt-with names. Without it, that of the broker's "
                  "backup-encrypt-to")
      ->type_name("FILE");
}

void AddVerify(CLI::App& noun, Program& program) {
  const auto label = std::make_shared<std::string>();
  AddVerb(noun, program, "verify", "Read all of a backup, and compare it with its checksums",
          [label, &program] { return Await(program, program.client().backups().Verify(*label)); })
      .add_option("LABEL", *label, "The backup")
      ->required();
}

struct Pruning {
  std::uint64_t keep = 0;
  bool is_sure = false;
};

ExitCode Prune(Program& program, const Pruning& pruning) {
  return WithConsent(
      program, pruning.is_sure,
      [&pruning]() -> Result<std::string> {
        return fmt::format("remove all backups of this broker but the newest {}?", pruning.keep);
      },
      [&program, &pruning] {
        return Await(program, program.client().backups().Prune(pruning.keep));
      });
}

void AddPrune(CLI::App& noun, Program& program) {
  const auto pruning = std::make_shared<Pruning>();
  CLI::App& command =
      AddVerb(noun, program, "prune", "Remove all backups of this broker but the newest",
              [pruning, &program] { return Prune(program, *pruning); });
  AddNumberFunction(command, "--keep", [pruning](std::uint64_t keep) { pruning->keep = keep; },
                    "So many stay", {.min = 1})
      ->required();
  AddYesOption(command, pruning->is_sure);
}

}  // namespace

void AddBackupCommand(CLI::App& app, Program& program) {
  CLI::App& noun = *app.add_subcommand(
      "backup",
      "Make, list, verify and remove backups of the broker, or of the node at the address; "
      "wharfd restore makes a new data folder of one");
  noun.require_subcommand(1);
  noun.fallthrough();
  AddCreate(noun, program);
  AddVerb(noun, program, "list", "List the backups that are whole, the oldest first",
          [&program] { return List(program); });
  AddVerify(noun, program);
  AddPrune(noun, program);
}

}  // namespace wharf::tool

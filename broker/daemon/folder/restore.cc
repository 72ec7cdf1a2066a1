#include "broker/daemon/folder/restore.h"

#include <cstdio>
#include <optional>

#include <fmt/core.h>
#include <sys/stat.h>

#include "broker/access/access_key.h"
#include "broker/backup/restored_rows.h"
#include "broker/daemon/process/core_dumps.h"
#include "broker/daemon/process/log.h"
#include "broker/schema/loader.h"
#include "broker/schema/tables.h"
#include "storage/archive/roll_forward.h"
#include "storage/backup/restored_folder.h"
#include "storage/base/broker_clock.h"

namespace wharf {
namespace {

int RefuseRestore(const Status& why) {
  fmt::print(stderr, "wharfd restore: {}\n", why.message());
  return 1;
}

// The first start asks the same, and refuses.
void WarnOfClock(Timestamp last_committed) {
  const Status checked =
      BrokerClock::CheckStart(BrokerClock::SystemSources().wall(), last_committed);
  if (!checked.ok()) fmt::print("{}\n", checked.message());
}

RestoreUntil UntilOf(const RestoreRequest& request) {
  RestoreUntil until{.time = request.until};
  if (request.until_index) until.index = CommitIndex(*request.until_index);
  return until;
}

RestoreOptions OptionsOf(const RestoreRequest& request) {
  RestoreOptions options{request.backup, request.data, BrokerTables(), BrokerStatePosition()};
  if (request.rolls_forward()) options.until = UntilOf(request);
  return options;
}

Result<RecipientKeys> KeysOf(const RestoreRequest& request) {
  RecipientKeys keys;
  for (const std::string& path : request.decrypt_with) {
    Result<RecipientKey> key = RecipientKey::Read(path);
    if (!key.ok()) return key.status();
    keys.push_back(*std::move(key));
  }
  return keys;
}

Result<Moment> Roll(const RestoreRequest& request, const BackupManifest& backup,
                    const ArchiveFolder& archive, RocksStore& store, const RecipientKeys& keys) {
  const Result<FolderState> folder = LoadFolderState(store, store.path());
  if (!folder.ok()) return folder.status();
  const Result<CommitIndex> last = BrokerAppliedIndex().Read(store);
  if (!last.ok()) return last.status();
  return RollForward(store, BrokerAppliedIndex(), archive, backup.archive_run,
                     {*last, folder->last_committed}, UntilOf(request), keys);
}

void PrintKeys(const RestoredRows::Report& report) {
  for (const RestoredRows::NewKeys& each : report.new_keys) {
    fmt::print("new keys of {} of {}:\n  {}\n  {}\n", each.rule.name(),
               each.entity_path.empty() ? "the namespace" : each.entity_path,
               each.rule.key(access::KeySlot::kPrimary),
               each.rule.key(access::KeySlot::kSecondary));
  }
}

}  // namespace

int RunRestore(const RestoreRequest& request) {
  umask(077);  // What it writes is for nobody else to read.
  KeepOutOfCores();
  StartLog("warning", "text");
  const access::KeySource keys = access::SystemKeys();
  RestoredRows::Report report;
  std::optional<Moment> moment;
  Result<RecipientKeys> private_keys = KeysOf(request);
  if (!private_keys.ok()) return RefuseRestore(private_keys.status());
  RestoreOptions options = OptionsOf(request);
  options.keys = *std::move(private_keys);
  options.roll_forward = [&](const BackupManifest& backup, const ArchiveFolder& archive,
                             RocksStore& store) -> Status {
    const Result<Moment> reached = Roll(request, backup, archive, store, options.keys);
    if (reached.ok()) moment = *reached;
    return reached.status();
  };
  const Result<BackupManifest> manifest = RestoreBackup(options, [&](RocksStore& store) -> Status {
    Result<RestoredRows::Report> done =
        RestoredRows(store).Rewrite(request.makes_new_keys ? &keys : nullptr);
    if (!done.ok()) return done.status();
    report = *std::move(done);
    return {};
  });
  if (!manifest.ok()) return RefuseRestore(manifest.status());
  fmt::print(
      "restored {} into {}: {} entities; {} locks and {} sessions ended, {} transactions rolled "
      "back\n",
      manifest->label, request.data, report.entities, report.ended_locks, report.ended_sessions,
      report.rolled_back);
  if (moment) {
    fmt::print("as of commit {}, at {}\n", moment->last.value(), ToString(moment->time));
  }
  PrintKeys(report);
  if (manifest->is_of_node) {
    fmt::print(
        "it was of {} in cluster {}, and is a broker by itself now: start it, with --node to found "
        "a new cluster with it\n",
        manifest->node_name, manifest->cluster_id);
  }
  WarnOfClock(report.last_committed);
  return 0;
}

}  // namespace wharf

#include "broker/backup/backup_keeper.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "broker/schema/tables.h"
#include "storage/archive/roll_forward.h"
#include "storage/backup/backup_label.h"
#include "storage/backup/backup_writer.h"
#include "storage/backup/mark_secret.h"

namespace wharf {
namespace {

const char* NameOf(BackupVerb verb) {
  switch (verb) {
    case BackupVerb::kCreate:
      return "create";
    case BackupVerb::kVerify:
      return "verify";
    case BackupVerb::kPrune:
      return "prune";
  }
  return "";
}

Status Stopping() {
  return {ErrorCode::kServiceCommunicationProblem, "the broker stops: this was broken off"};
}

BackupFacts FactsOf(const BackupFolder::Found& found) {
  BackupFacts facts{.label = found.label};
  if (!found.manifest.ok()) {
    facts.trouble = found.manifest.status().message();
    return facts;
  }
  const BackupManifest& manifest = *found.manifest;
  facts.created_at = manifest.created_at;
  facts.commits = manifest.commits;
  facts.files = found.files;
  facts.bytes = found.bytes;
  facts.shared_bytes = manifest.shared_bytes;
  facts.cluster_id = manifest.cluster_id;
  facts.node_name = manifest.node_name;
  facts.version = manifest.version;
  facts.encrypted_to = manifest.encrypted_to_name;
  return facts;
}

void AddArchived(const BackupManifest& manifest, const std::vector<ArchiveRun>& runs,
                 BackupFacts& facts) {
  for (const ArchiveRun& run : runs) {
    if (run.run != manifest.archive_run || !run.GoesOnBehind(manifest.commits)) continue;
    facts.archived_commits = run.last.value();
    facts.archived_until = run.last_time;
  }
}

}  // namespace

// What a process before has left behind holds space.
BackupKeeper::BackupKeeper(Options options, World world)
    : options_(std::move(options)),
      world_(std::move(world)),
      folder_(nullptr, options_.folder),
      pace_(options_.bytes_per_second) {
  const Status removed = RemoveFlatFolder(nullptr, checkpoint_path());
  if (!removed.ok()) spdlog::warn("what is left of a backup stays: {}", removed.message());
}

BackupKeeper::~BackupKeeper() { Stop(); }

void BackupKeeper::Stop() {
  MutexLock lock(mutex_);
  is_stopping_ = true;
  pace_.End(Stopping());
  while (is_busy_) ended_.wait(mutex_);
}

Status BackupKeeper::CheckEnabled() const {
  if (!options_.folder.empty()) return {};
  return {ErrorCode::kInvalidOperation,
          "there are no backups here: backup-folder must name a folder when wharfd is started"};
}

void BackupKeeper::Create(std::string label, const std::string& encrypt_to,
                          Answer<BackupWork> answer) {
  if (label.empty()) label = BackupLabelOf(world_.wall());
  if (Status bad = CheckBackupLabel(label); !bad.ok()) return std::move(answer)(std::move(bad));
  Result<std::optional<Recipient>> recipient = RecipientOf(encrypt_to);
  if (!recipient.ok()) return std::move(answer)(recipient.status());
  BackupWork work{.verb = BackupVerb::kCreate, .label = label};
  if (*recipient) work.encrypted_to = (*recipient)->name();
  Begin(
      std::move(work),
      [this, label, recipient = *std::move(recipient)] { return PrepareCreate(label, recipient); },
      std::move(answer));
}

// An archive in the clear has what the backup is to hide.
Result<std::optional<Recipient>> BackupKeeper::RecipientOf(const std::string& encrypt_to) const {
  if (encrypt_to.empty()) return options_.encrypt_to;
  Result<Recipient> recipient = Recipient::Parse(encrypt_to, "what encrypt_to has");
  if (!recipient.ok()) return recipient.status();
  if (world_.archive != nullptr && !options_.encrypt_to) {
    return Status(ErrorCode::kInvalidOperation,
                  "what is committed is archived beside the backups in the clear: "
                  "backup-encrypt-to must name a certificate for the archive; or archive-bytes be "
                  "0B, and what it left be pruned (wharf backup prune), before a backup is "
                  "encrypted");
  }
  return std::optional(*std::move(recipient));
}

void BackupKeeper::Verify(std::string label, Answer<BackupWork> answer) {
  if (Status bad = CheckBackupLabel(label); !bad.ok()) return std::move(answer)(std::move(bad));
  Begin(
      {.verb = BackupVerb::kVerify, .label = label}, [this, label] { return PrepareVerify(label); },
      std::move(answer));
}

void BackupKeeper::Prune(std::uint64_t keep, Answer<BackupWork> answer) {
  if (keep == 0) {
    return std::move(answer)(
        Status(ErrorCode::kArgumentError, "keep: at least one backup is to stay"));
  }
  Begin(
      {.verb = BackupVerb::kPrune}, [this, keep] { return PreparePrune(keep); }, std::move(answer));
}

void BackupKeeper::Begin(BackupWork work, Prepare prepare, Answer<BackupWork> answer) {
  Status refused = CheckEnabled();
  if (refused.ok()) {
    MutexLock lock(mutex_);
    if (is_stopping_) refused = Stopping();
    if (refused.ok() && is_busy_) {
      const BackupWork& other = works_.back();
      refused = {ErrorCode::kServiceBusy, fmt::format("one at a time: backup {} {} is under way",
                                                      NameOf(other.verb), other.label)};
    }
    if (refused.ok()) {
      is_busy_ = true;
      work.id = ++last_id_;
      work.is_under_way = true;
      works_.push_back(work);
      pace_.Begin();
    }
  }
  if (!refused.ok()) return std::move(answer)(std::move(refused));
  world_.threads.Post(
      [this, id = work.id, prepare = std::move(prepare), answer = std::move(answer)]() mutable {
        Work(id, std::move(prepare), std::move(answer));
      });
}

void BackupKeeper::Work(std::uint64_t id, Prepare prepare, Answer<BackupWork> answer) {
  Result<Run> run = prepare();
  if (!run.ok()) {
    Forget(id);
    return std::move(answer)(run.status());
  }
  std::move(answer)(ChangeWork([](BackupWork& /*work*/) {}));
  const Status how = (*run)();
  // What it held is let go before another one may begin.
  *run = nullptr;
  End(how);
}

template <typename Change>
BackupWork BackupKeeper::ChangeWork(Change change) {
  MutexLock lock(mutex_);
  change(works_.back());
  return works_.back();
}

void BackupKeeper::Forget(std::uint64_t id) {
  MutexLock lock(mutex_);
  std::erase_if(works_, [id](const BackupWork& work) { return work.id == id; });
  is_busy_ = false;
  ended_.notify_all();
}

void BackupKeeper::End(const Status& how) {
  MutexLock lock(mutex_);
  BackupWork& work = works_.back();
  work.is_under_way = false;
  work.trouble = how.message();
  if (how.ok()) {
    spdlog::info("backup {} {}: {} bytes, {} of them were there already, {} backups removed",
                 NameOf(work.verb), work.label, work.bytes, work.shared_bytes, work.removed.size());
  } else {
    spdlog::warn("backup {} {} failed: {}", NameOf(work.verb), work.label, how.message());
  }
  while (works_.size() > kBackupWorksKept) works_.pop_front();
  is_busy_ = false;
  ended_.notify_all();
}

void BackupKeeper::Look(std::uint64_t id, Answer<BackupWork> answer) {
  if (Status refused = CheckEnabled(); !refused.ok()) {
    return std::move(answer)(std::move(refused));
  }
  Result<BackupWork> found =
      Status(ErrorCode::kMessagingEntityNotFound,
             "there is no such work; the last eight since the start are remembered");
  {
    MutexLock lock(mutex_);
    for (const BackupWork& work : works_) {
      if (id == 0 || work.id == id) found = work;
    }
  }
  std::move(answer)(std::move(found));
}

// Hundreds of manifests may have to be read.
void BackupKeeper::List(Answer<BackupList> answer) {
  if (Status refused = CheckEnabled(); !refused.ok()) {
    return std::move(answer)(std::move(refused));
  }
  world_.threads.Post(
      [this, answer = std::move(answer)]() mutable { std::move(answer)(ListNow()); });
}

Result<BackupList> BackupKeeper::ListNow() const {
  const Result<std::vector<BackupFolder::Found>> found = folder_.List();
  if (!found.ok()) return found.status();
  BackupList list;
  std::map<std::string, std::vector<ArchiveRun>> runs;
  const auto runs_of = [&](const BackupManifest& manifest) -> Status {
    const auto [known, is_new] = runs.try_emplace(manifest.archive_owner());
    if (!is_new) return {};
    Result<std::vector<ArchiveRun>> read = ArchiveOf(manifest).Runs();
    if (read.ok()) known->second = *std::move(read);
    return read.status();
  };
  for (const BackupFolder::Found& each : *found) {
    list.backups.push_back(FactsOf(each));
    if (!each.manifest.ok()) continue;
    WHARF_RETURN_IF_ERROR(runs_of(*each.manifest));
    AddArchived(*each.manifest, runs[each.manifest->archive_owner()], list.backups.back());
  }
  // A node without a state has none.
  if (const Result<BackupManifest> head = Head(); head.ok()) {
    WHARF_RETURN_IF_ERROR(runs_of(*head));
    for (const ArchiveRun& run : runs[head->archive_owner()]) {
      list.archived.push_back({run.first.value(), run.last.value(), run.first_time, run.last_time,
                               run.bytes, !run.encrypted_to.empty()});
    }
  }
  if (world_.archive != nullptr) list.archive_trouble = world_.archive->stats().trouble;
  return list;
}

ArchiveFolder BackupKeeper::ArchiveOf(const BackupManifest& manifest) const {
  return {nullptr, options_.folder, manifest.archive_owner()};
}

Result<BackupKeeper::Run> BackupKeeper::PrepareCreate(const std::string& label,
                                                      const std::optional<Recipient>& recipient) {
  if (world_.disk().state == DiskState::kFull) {
    return Status(ErrorCode::kQuotaExceeded,
                  "the disk of the data is full, and a backup would hold space of it: make room");
  }
  const Result<Owner> owner = world_.owner();
  if (!owner.ok()) return owner.status();
  Result<std::unique_ptr<BackupFolder::Hold>> hold = folder_.BeginWork();
  if (!hold.ok()) return hold.status();
  WHARF_RETURN_IF_ERROR(CheckNew(label));
  Encryption encryption;
  if (recipient) {
    Result<std::string> secret = SecretOfMarks(options_.data);
    if (!secret.ok()) return secret.status();
    encryption = {*recipient, *std::move(secret)};
    // One that is no longer written may be there still.
    if (const Result<BackupManifest> head = Head(); head.ok()) ArchiveOf(*head).WarnOfClear();
  }
  return Run([this, label, encryption = std::move(encryption), hold = *std::move(hold)] {
    return Make(label, encryption);
  });
}

Status BackupKeeper::CheckNew(const std::string& label) const {
  const Result<std::vector<BackupFolder::Found>> found = folder_.List();
  if (!found.ok()) return found.status();
  if (found->size() >= kBackupsMax) {
    return {ErrorCode::kQuotaExceeded,
            fmt::format("there are {} backups in {}: remove old ones with wharf backup prune",
                        found->size(), options_.folder)};
  }
  return folder_.CheckFree(label);
}

Result<BackupKeeper::Run> BackupKeeper::PrepareVerify(const std::string& label) {
  Result<BackupManifest> manifest = folder_.Read(label);
  if (!manifest.ok()) return manifest.status();
  return Run([this, manifest = *std::move(manifest)] {
    ChangeWork([&manifest](BackupWork& work) { work.of_bytes = manifest.bytes(); });
    WHARF_RETURN_IF_ERROR(VerifyBackup(folder_, manifest, Files()));
    return VerifyArchive(manifest);
  });
}

// Whoever else keeps backups in this folder keeps the newest of its own.
Result<BackupKeeper::Run> BackupKeeper::PreparePrune(std::uint64_t keep) {
  const Result<BackupManifest> head = Head();
  if (!head.ok()) return head.status();
  Result<std::unique_ptr<BackupFolder::Hold>> hold = folder_.BeginWork();
  if (!hold.ok()) return hold.status();
  Result<std::vector<std::string>> labels = folder_.LabelsBefore(*head, keep);
  if (!labels.ok()) return labels.status();
  return Run(
      [this, labels = *std::move(labels), hold = *std::move(hold)] { return Remove(labels); });
}

Result<BackupManifest> BackupKeeper::Head() const {
  const Result<Owner> owner = world_.owner();
  if (!owner.ok()) return owner.status();
  const Result<CommitIndex> commits = BrokerAppliedIndex().Read(world_.store);
  if (!commits.ok()) return commits.status();
  const Result<std::string> store = StoreNameIn(world_.store.path());
  if (!store.ok()) return store.status();
  return BackupManifest{.created_at = world_.wall(),
                        .version = options_.version,
                        .is_of_node = owner->is_node,
                        .cluster_id = owner->cluster_id,
                        .node_name = owner->node_name,
                        .store = *store,
                        .commits = commits->value()};
}

// The checkpoint goes as soon as it is copied, or cannot be.
Status BackupKeeper::Make(const std::string& label, const Encryption& encryption) {
  Result<BackupManifest> head = Head();
  if (!head.ok()) return head.status();
  head->label = label;
  if (encryption) {
    head->encrypted_to = encryption->recipient.key_id();
    head->encrypted_to_name = encryption->recipient.name();
  }
  if (world_.archive != nullptr) head->archive_run = world_.archive->run();
  const std::string checkpoint = checkpoint_path();
  WHARF_RETURN_IF_ERROR(RemoveFlatFolder(nullptr, checkpoint));
  Status made = world_.checkpoint(checkpoint);
  if (made.ok()) made = MakeOf(checkpoint, *std::move(head), encryption);
  const Status removed = RemoveFlatFolder(nullptr, checkpoint);
  return made.ok() ? removed : made;
}

Status BackupKeeper::MakeOf(const std::string& checkpoint, BackupManifest head,
                            const Encryption& encryption) {
  const BackupFiles files = Files();
  const BackupWriter writer(folder_, files, encryption);
  Result<BackupWriter::Plan> plan = writer.Look(checkpoint, head);
  if (!plan.ok()) return plan.status();
  ChangeWork([&plan](BackupWork& work) {
    work.of_bytes = plan->bytes;
    work.shared_bytes = plan->shared_bytes;
  });
  return writer.Write(checkpoint, *std::move(plan), std::move(head));
}

Status BackupKeeper::Remove(const std::vector<std::string>& labels) {
  for (const std::string& label : labels) {
    WHARF_RETURN_IF_ERROR(folder_.Remove(label));
    ChangeWork([&label](BackupWork& work) { work.removed.push_back(label); });
    WHARF_RETURN_IF_ERROR(pace_.Spend(0));
  }
  return PruneArchive();
}

Status BackupKeeper::PruneArchive() {
  const Result<BackupManifest> head = Head();
  if (!head.ok()) return head.status();
  const Result<std::vector<BackupFolder::Found>> found = folder_.List();
  if (!found.ok()) return found.status();
  std::vector<ArchiveFolder::Need> needs;
  for (const BackupFolder::Found& each : *found) {
    if (!each.manifest.ok()) continue;
    const BackupManifest& manifest = *each.manifest;
    const bool is_own = manifest.archive_owner() == head->archive_owner();
    if (is_own) needs.push_back({manifest.archive_run, manifest.commits});
  }
  return ArchiveOf(*head).Prune(needs, world_.archive == nullptr ? 0 : world_.archive->run());
}

// Behind this backup, as far as it goes.
Status BackupKeeper::VerifyArchive(const BackupManifest& manifest) {
  const ArchiveFolder archive = ArchiveOf(manifest);
  const Result<std::vector<ArchiveRun>> runs = archive.Runs();
  if (!runs.ok()) return runs.status();
  BackupFacts facts;
  AddArchived(manifest, *runs, facts);
  if (facts.archived_commits == 0) return {};
  return CheckArchive(archive, manifest.archive_run, CommitIndex(manifest.commits),
                      {.index = CommitIndex(facts.archived_commits)});
}

BackupFiles BackupKeeper::Files() {
  return {folder_.file_system(), pace_, [this](std::uint64_t bytes) { NoteBytes(bytes); }};
}

// What is held on the disk of the data must not be what fills it.
void BackupKeeper::NoteBytes(std::uint64_t bytes) {
  const BackupWork work = ChangeWork([bytes](BackupWork& each) { each.bytes += bytes; });
  if (work.verb != BackupVerb::kCreate || world_.disk().state != DiskState::kFull) return;
  pace_.End({ErrorCode::kQuotaExceeded,
             "the disk of the data is full, and the backup held space of it: it was broken off"});
}

}  // namespace wharf

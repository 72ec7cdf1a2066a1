// BackupKeeper: the backups of this daemon: makes them of its state, one at a time, reads them
// through, and removes old ones.
//
// Only the checkpoint is made of the open store: links to its files, and the end of its log. What
// is copied are the links, on a thread of their own and at a rate. Meanwhile they hold space that
// compactions would give back, so a backup is broken off when the disk of the data is full. Asked
// on any thread; made and stopped on the main thread by a daemon, before its store is closed.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "broker/requests/backup_control.h"
#include "storage/archive/batch_archive.h"
#include "storage/backup/backup_folder.h"
#include "storage/backup/backup_writer.h"
#include "storage/backup/copy_pace.h"
#include "storage/backup/file_copy.h"
#include "storage/base/executor.h"
#include "storage/base/mutex.h"
#include "storage/disk/disk_gate.h"
#include "storage/rocks/rocks_store.h"
#include "storage/sealed/recipient.h"

namespace wharf {

class BackupKeeper final : public BackupControl {
 public:
  struct Options {
    // Below which backups lie; empty: there are none.
    std::string folder{};
    std::uint64_t bytes_per_second = 0;
    // Where the checkpoint is made: on the disk of the store.
    std::string data{};
    std::string version{};
    // Whom backups are encrypted to that name nobody; none: they are in the clear.
    std::optional<Recipient> encrypt_to{};
  };

  // Whose backups they are.
  struct Owner {
    bool is_node = false;
    std::string cluster_id{};
    std::string node_name{};
  };

  // What is pointed to outlives it.
  struct World {
    RocksStore& store;
    // Of two threads or more: one may work for long.
    Executor& threads;
    std::function<Timestamp()> wall;
    // Of the data.
    std::function<DiskReport()> disk;
    // Or why there can be no backup just now.
    std::function<Result<Owner>()> owner;
    // Makes the folder with what is committed by now.
    std::function<Status(const std::string& folder)> checkpoint;
    // Null: nothing is archived.
    BatchArchive* archive = nullptr;
  };

  BackupKeeper(Options options, World world);
  ~BackupKeeper() override;

  // Breaks off what is under way, and waits until that has ended; nothing begins any more.
  void Stop();

  void Create(std::string label, const std::string& encrypt_to, Answer<BackupWork> answer) override;
  void Verify(std::string label, Answer<BackupWork> answer) override;
  void Prune(std::uint64_t keep, Answer<BackupWork> answer) override;
  void Look(std::uint64_t id, Answer<BackupWork> answer) override;
  void List(Answer<BackupList> answer) override;

 private:
  // The work itself, when it is known that it can be done.
  using Run = absl::AnyInvocable<Status()>;
  using Prepare = absl::AnyInvocable<Result<Run>()>;

  std::string checkpoint_path() const { return options_.data + "/backing-up"; }
  Status CheckEnabled() const;
  // Answers when it is prepared, or cannot be.
  void Begin(BackupWork work, Prepare prepare, Answer<BackupWork> answer);
  void Work(std::uint64_t id, Prepare prepare, Answer<BackupWork> answer);
  using Encryption = std::optional<BackupWriter::Encryption>;

  // Of what a request names, or of the configuration.
  Result<std::optional<Recipient>> RecipientOf(const std::string& encrypt_to) const;
  Result<Run> PrepareCreate(const std::string& label, const std::optional<Recipient>& recipient);
  Result<Run> PrepareVerify(const std::string& label);
  Result<Run> PreparePrune(std::uint64_t keep);
  Status CheckNew(const std::string& label) const;
  // Of this broker as it is now; without a label and files.
  Result<BackupManifest> Head() const;
  Status Make(const std::string& label, const Encryption& encryption);
  Status MakeOf(const std::string& checkpoint, BackupManifest head, const Encryption& encryption);
  Status Remove(const std::vector<std::string>& labels);
  // What no backup that is left needs.
  Status PruneArchive();
  Status VerifyArchive(const BackupManifest& manifest);
  Result<BackupList> ListNow() const;
  ArchiveFolder ArchiveOf(const BackupManifest& manifest) const;
  BackupFiles Files();
  void NoteBytes(std::uint64_t bytes);

  // Of the work that is under way.
  template <typename Change>
  BackupWork ChangeWork(Change change);
  void Forget(std::uint64_t id);
  void End(const Status& how);

  const Options options_;
  const World world_;
  const BackupFolder folder_;
  CopyPace pace_;

  Mutex mutex_;
  std::condition_variable_any ended_;
  std::uint64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_busy_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_stopping_ ABSL_GUARDED_BY(mutex_) = false;
  // The last one is that which is under way, if one is.
  std::deque<BackupWork> works_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf

// BackupControl: what doors ask about backups: to make one, to read one through, to remove old
// ones, and which there are.
//
// Implemented by the daemon (broker/backup). Asked by the service Backups, on any thread, also
// while this node does not lead; who may ask is the door's to know. Work that reads or writes the
// files of a backup takes minutes: it is begun, one at a time, and looked at until it has ended. A
// second one is refused with ServiceBusy. No call waits: answers come once, on any thread.
//
// Bounded: a folder has at most kBackupsMax backups, and of works that have ended the last
// kBackupWorksKept are remembered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "broker/requests/answer.h"
#include "storage/base/time.h"

namespace wharf {

inline constexpr std::size_t kBackupsMax = 1000;
inline constexpr std::size_t kBackupWorksKept = 8;

// One backup that is there as a whole; or one whose manifest cannot be read.
struct BackupFacts {
  std::string label{};
  // By the wall clock.
  Timestamp created_at{};
  // So many commits are in it at least.
  std::uint64_t commits = 0;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  // Of these, those of files that an earlier backup had.
  std::uint64_t shared_bytes = 0;
  // Of a node: its cluster and its name; else empty.
  std::string cluster_id{};
  std::string node_name{};
  // Of the program that made it.
  std::string version{};
  // Behind it commits are archived up to this one, of this broker time; 0: none are.
  std::uint64_t archived_commits = 0;
  Timestamp archived_until{};
  // Whose certificate it is encrypted to; empty: it is in the clear.
  std::string encrypted_to{};
  // Why it is of no use, in a sentence; empty: it may be.
  std::string trouble{};
};

// Commits that the archive of this broker, or node, has without a gap.
struct ArchivedRun {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  Timestamp first_at{};
  Timestamp last_at{};
  std::uint64_t bytes = 0;
  bool is_encrypted = false;
};

struct BackupList {
  // The oldest first.
  std::vector<BackupFacts> backups{};
  // In their order; what is between two of them is missing.
  std::vector<ArchivedRun> archived{};
  // Why nothing is archived just now, in a sentence; empty: it is, or is not wanted.
  std::string archive_trouble{};
};

enum class BackupVerb : std::uint8_t { kCreate = 1, kVerify = 2, kPrune = 3 };

struct BackupWork {
  // Counted since the process began; never 0.
  std::uint64_t id = 0;
  BackupVerb verb = BackupVerb::kCreate;
  // Of kCreate and kVerify.
  std::string label{};
  bool is_under_way = false;
  // How far it is; of_bytes is 0 until that is known.
  std::uint64_t bytes = 0;
  std::uint64_t of_bytes = 0;
  // Of these, those of files that an earlier backup had.
  std::uint64_t shared_bytes = 0;
  // Of kCreate: whose certificate it is encrypted to; empty: it is in the clear.
  std::string encrypted_to{};
  // Of kPrune: the labels of those that went.
  std::vector<std::string> removed{};
  // Why it failed, in a sentence; empty: it did not.
  std::string trouble{};
};

class BackupControl {
 public:
  virtual ~BackupControl() = default;

  // Begins; an empty label: one is made of the time. `encrypt_to` is a certificate in PEM; empty:
  // that of the configuration, if there is one.
  virtual void Create(std::string label, const std::string& encrypt_to,
                      Answer<BackupWork> answer) = 0;
  virtual void Verify(std::string label, Answer<BackupWork> answer) = 0;
  // Leaves the newest `keep`.
  virtual void Prune(std::uint64_t keep, Answer<BackupWork> answer) = 0;
  // How that work goes, or how it ended; 0: the last one.
  virtual void Look(std::uint64_t id, Answer<BackupWork> answer) = 0;
  virtual void List(Answer<BackupList> answer) = 0;
};

}  // namespace wharf

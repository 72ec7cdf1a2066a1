// SnapshotSender: the snapshot that this node, which leads, has for members whose entries are gone
// from its log.
//
// There is one at a time, and at most one member takes it. It is made when somebody needs one and
// there is none that fits, and removed when nobody has asked for it for a while: its files are
// links, which hold space that compactions would give back, and the log behind it is kept for as
// long. Every member that was offered it is told of to the consensus in the end, as having it or
// not: else it would wait for ever. Passive, used on the thread of a SnapshotExchange.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <rocksdb/file_system.h>

#include "replication/core/raft_library.h"
#include "replication/snapshots/snapshot_manifest.h"
#include "replication/snapshots/snapshot_message.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

class SnapshotSender {
 public:
  struct Options {
    std::string folder;  // Where the snapshot is.
    // Of a member that takes it, until it counts as gone; of nobody, until it is removed.
    Duration patience = std::chrono::seconds(10);
    Duration kept = std::chrono::seconds(60);
    // The log is kept for a member that takes it; not for ever.
    Duration longest = std::chrono::minutes(60);
    // After one that could not be made, or was refused, until the next.
    Duration pause = std::chrono::seconds(5);
  };

  class World {
   public:
    virtual ~World() = default;
    // Makes the folder, with a state in it; its position, and its files. Takes seconds.
    virtual Result<SnapshotManifest> Make(const std::string& folder) = 0;
    virtual void Answer(RaftId receiver, const SnapshotAnswer& answer) = 0;
    // To the consensus, in every case: whether the member has it.
    virtual void Report(RaftId receiver, bool is_taken) = 0;
  };

  struct Progress {
    RaftId receiver = 0;
    std::uint64_t bytes = 0;  // Up to where it has asked.
    std::uint64_t of_bytes = 0;
  };

  SnapshotSender(Options options, std::shared_ptr<rocksdb::FileSystem> file_system, World& world);

  // Makes one as of entry `from` or later, if there is none and nobody takes the one that there is.
  void Want(std::uint64_t from, Duration now);
  // It is on its way to this member, as a message of the consensus.
  void OnOffered(RaftId receiver, Duration now);
  void OnAsk(RaftId receiver, const SnapshotAsk& ask, Duration now);
  // A few times a second.
  void Tick(Duration now);
  // Removes it.
  void Clear();

  // Null: there is none.
  const SnapshotManifest* current() const { return manifest_ ? &*manifest_ : nullptr; }
  // Whether the log behind it is kept. Not for who has refused it, and may do so for long.
  bool pins_log() const { return manifest_.has_value() && !is_refused_; }
  // Nothing: nobody takes it.
  std::optional<Progress> progress() const;

 private:
  // A member that was offered it.
  struct Receiver {
    Duration began{};
    Duration heard{};
    std::uint64_t bytes = 0;
    // It refused: reported then, so that nobody asks in circles.
    std::optional<Duration> fails_at{};
  };

  void Make(Duration now);
  SnapshotAnswer AnswerTo(const SnapshotAsk& ask, Receiver& receiver);
  // None: it cannot be read, or is not there.
  std::optional<std::string> Read(const SnapshotAsk& ask);
  void End(RaftId receiver, bool is_taken);

  const Options options_;
  const std::shared_ptr<rocksdb::FileSystem> file_system_;
  World& world_;

  std::optional<SnapshotManifest> manifest_;
  bool is_refused_ = false;  // By who asked for something last.
  // None: nobody has looked since it was made.
  std::optional<Duration> used_;
  std::optional<Duration> not_before_;
  std::map<RaftId, Receiver> receivers_;
  // The file that was read last stays open.
  std::optional<std::uint32_t> open_;
  std::unique_ptr<rocksdb::FSRandomAccessFile> reader_;
};

}  // namespace wharf

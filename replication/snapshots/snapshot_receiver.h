// SnapshotReceiver: takes the snapshot that a leader offers this node: asks for its files piece by
// piece, and hands the offer to the consensus when all of them are here, on the disk.
//
// One at a time; a newer offer takes the place of the one before, and what is here of the same
// snapshot is gone on with, also after a restart. So many pieces are asked for ahead, at no more
// than a rate; what does not come is asked for again. Whatever becomes of it, the sender is told,
// or notices the silence. Passive, used on the thread of a SnapshotExchange.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <rocksdb/file_system.h>

#include "replication/core/raft_library.h"
#include "replication/snapshots/incoming_snapshot.h"
#include "replication/snapshots/snapshot_message.h"
#include "storage/base/status.h"
#include "storage/base/time.h"
#include "storage/entry_log.h"

namespace wharf {

class SnapshotReceiver {
 public:
  struct Options {
    std::string folder;  // Where the files come to.
    std::size_t piece_bytes = std::size_t{512} << 10;
    std::size_t pieces_ahead = 4;
    std::uint64_t bytes_per_second = std::uint64_t{64} << 20;
    Duration ask_again = std::chrono::seconds(2);
    // Without a word of the sender the snapshot is let be, and what is here is kept; of one that is
    // refused it is removed.
    Duration patience = std::chrono::seconds(30);
    // So often a file may come otherwise than it was sent.
    int damages_max = 3;
  };

  class World {
   public:
    virtual ~World() = default;
    virtual void Ask(RaftId sender, const SnapshotAsk& ask) = 0;
    // Whether so many bytes fit on the disk, beside what the node needs of it to go on.
    virtual Status CheckRoom(std::uint64_t bytes) = 0;
    // The files are whole, and on the disk, in the folder: they become what a start may put in the
    // state's place.
    virtual Status Keep(const StatePosition& position) = 0;
    // To the consensus: the message that offered it.
    virtual void Deliver(RaftId sender, std::string offer) = 0;
  };

  struct Progress {
    RaftId sender = 0;
    std::uint64_t bytes = 0;
    std::uint64_t of_bytes = 0;  // 0: not known yet.
  };

  SnapshotReceiver(Options options, std::shared_ptr<rocksdb::FileSystem> file_system, World& world)
      : options_(std::move(options)), file_system_(std::move(file_system)), world_(world) {}

  // `offer` is the message of the consensus that said so.
  void OnOffer(RaftId sender, const RaftSnapshot& snapshot, std::string offer, Duration now);
  void OnAnswer(RaftId sender, SnapshotAnswer answer, Duration now);
  // A few times a second.
  void Tick(Duration now);

  // Nothing: none is on its way.
  std::optional<Progress> progress() const;
  // Why the last one was not taken, until one is; empty: none was refused.
  const std::string& refusal() const { return refusal_; }

 private:
  // What is being taken.
  struct Taking {
    RaftId sender = 0;
    std::uint64_t id = 0;
    LogPlace place{};
    std::string offer{};
    Duration heard{};  // When the sender last said something of use.
    Duration asked{};
    std::unique_ptr<IncomingSnapshot> files{};  // Null: the manifest is not here yet.
    // In the file that is missing: up to where pieces were asked for.
    std::uint32_t file = 0;
    std::uint64_t asked_to = 0;
    int damages = 0;
  };

  void OnManifest(const SnapshotAnswer& answer, Duration now);
  void OnPiece(const SnapshotAnswer& answer, Duration now);
  void AskOn(Duration now);
  void AskFor(SnapshotAsk ask, Duration now);
  // As many bytes as may be asked for now.
  void Refill(Duration now);
  void FinishIfWhole();
  void Refuse(const Status& why);

  const Options options_;
  const std::shared_ptr<rocksdb::FileSystem> file_system_;
  World& world_;

  std::optional<Taking> taking_;
  std::string refusal_;
  // Told the log once, however often it is offered.
  std::uint64_t refused_ = 0;
  double budget_ = 0;
  Duration refilled_{};
};

// By the bytes that a snapshot of the consensus carries: the id of ours.
std::string EncodeSnapshotId(std::uint64_t id);
std::optional<std::uint64_t> DecodeSnapshotId(std::string_view data);

}  // namespace wharf

// SnapshotExchange: the snapshots that this node sends and takes, with the thread on which that is
// done, so that neither the consensus nor the streams wait for a disk.
//
// The functions may be called on any thread, and return at once. What comes from peers is bounded:
// what is too much is dropped, and asked for again.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/thread_pool.hpp>

#include "absl/base/thread_annotations.h"
#include "replication/core/raft_core.h"
#include "replication/node_message.h"
#include "replication/peers/streams/traffic.h"
#include "replication/snapshots/snapshot_receiver.h"
#include "replication/snapshots/snapshot_sender.h"
#include "storage/base/mutex.h"
#include "storage/base/random.h"
#include "storage/base/ticker.h"

namespace wharf {

class SnapshotExchange final : private SnapshotSender::World, private SnapshotReceiver::World {
 public:
  struct Options {
    SnapshotSender::Options sender;
    SnapshotReceiver::Options receiver;
  };

  // What the exchange does with the rest of the node; on its thread.
  class Node {
   public:
    virtual ~Node() = default;
    // A checkpoint of the state, with its position and files.
    virtual Result<SnapshotManifest> MakeSnapshot(const std::string& folder) = 0;
    // The files of a whole snapshot are in the receiver's folder.
    virtual Status KeepSnapshot(const StatePosition& position) = 0;
    // Of so many bytes that are still to come.
    virtual Status CheckRoom(std::uint64_t bytes) = 0;
    virtual void SendToPeer(RaftId to, Traffic traffic, NodeMessageKind kind,
                            std::string content) = 0;
    // To the consensus.
    virtual void ReportSnapshot(RaftId receiver, bool is_taken) = 0;
    virtual void DeliverOffer(RaftId sender, std::string offer) = 0;
    // A snapshot of the position, in the words of the consensus.
    virtual Result<std::string> ConfigurationIn(const std::string& members) = 0;
  };

  // All that is pointed to outlives it; `random` is its own from now on.
  SnapshotExchange(const Options& options, const RaftLibrary& library, Random& random, Node& node);
  ~SnapshotExchange() override { Stop(); }
  // Whatever is under way is let be, and the node is not called any more.
  void Stop();

  // For a member that needs one, as of entry `from` or later; nothing: it is being made.
  std::optional<RaftSnapshot> Offer(std::uint64_t from);
  void OnOffered(RaftId receiver);
  // From a peer, of the kinds that are about snapshots.
  void OnMessage(RaftId from, NodeMessageKind kind, std::string content);

  // Behind which entry the log is kept for who takes a snapshot; nothing: it need not be.
  std::optional<std::uint64_t> pinned() const;
  // What is on its way now.
  struct Progress {
    std::optional<SnapshotSender::Progress> sending{};
    std::optional<SnapshotReceiver::Progress> receiving{};
    // Why this node did not take the last one that it was offered; empty: it was not, or it did.
    std::string refusal{};
  };
  Progress progress() const;

 private:
  // What other threads are shown.
  struct Shown {
    std::optional<RaftSnapshot> snapshot{};
    bool is_wanted = false;  // It is being looked after.
    bool pins_log = false;
    Progress progress{};
  };

  void Post(std::function<void()> work);
  void Want(std::uint64_t from);
  void Handle(RaftId from, NodeMessageKind kind, std::string content);
  void OnOffer(RaftId from, std::string offer);
  void OnWanted(RaftId from, std::uint64_t index);
  void OnNotice(RaftId from, const SnapshotNotice& notice);
  void Notice(RaftId to, const SnapshotNotice& notice);
  void Show();

  // --- SnapshotSender::World ---
  Result<SnapshotManifest> Make(const std::string& folder) override;
  void Answer(RaftId receiver, const SnapshotAnswer& answer) override;
  void Report(RaftId receiver, bool is_taken) override { node_.ReportSnapshot(receiver, is_taken); }
  // --- SnapshotReceiver::World ---
  void Ask(RaftId sender, const SnapshotAsk& ask) override;
  Status CheckRoom(std::uint64_t bytes) override { return node_.CheckRoom(bytes); }
  Status Keep(const StatePosition& position) override { return node_.KeepSnapshot(position); }
  void Deliver(RaftId sender, std::string offer) override;

  const RaftLibrary& library_;
  Random& random_;
  Node& node_;
  mutable Mutex mutex_;
  Shown shown_ ABSL_GUARDED_BY(mutex_);
  std::atomic<int> waiting_ = 0;

  // On its thread.
  SnapshotSender sender_;
  SnapshotReceiver receiver_;
  boost::asio::thread_pool thread_{1};
  Ticker ticks_;
};

}  // namespace wharf

// What a ClusterNode does for snapshots: their files, the room for them, the messages about them.

#include <utility>
#include <vector>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "replication/cluster_node/cluster_node.h"
#include "storage/rocks/state_files.h"

namespace wharf {
namespace {

// What a state keeps in memory before it is flushed.
const std::uint64_t kStateBytesInMemory = RocksStoreOptions().write_buffer_bytes;

}  // namespace

SnapshotExchange::Options ClusterNode::ExchangeOptions() const {
  return {.sender = {.folder = state_folder_.outgoing()},
          .receiver = {.folder = state_folder_.incoming(),
                       .bytes_per_second = options_.snapshot_bytes_per_second}};
}

// Of what this node has by its log no files are needed: the consensus says so to who offers.
void ClusterNode::TakeOffer(RaftNode& node, RaftId from, std::string offer) {
  const Result<RaftSnapshot> snapshot = library_->DecodeSnapshot(offer);
  if (!snapshot.ok()) return;
  if (snapshot->index <= node.committed()) {
    node.Receive(from, offer);
  } else {
    snapshots_->OnMessage(from, NodeMessageKind::kSnapshotOffer, std::move(offer));
  }
}

// What is damaged here must not become so elsewhere.
Result<SnapshotManifest> ClusterNode::MakeSnapshot(const std::string& folder) {
  WHARF_RETURN_IF_ERROR(Checkpoint(folder));
  WHARF_RETURN_IF_ERROR(world_.store.CheckFiles());
  Result<StatePosition> position = ReadStatePosition(
      {.path = folder, .tables = world_.store.tables(), .position = world_.position});
  if (!position.ok()) return position.status();
  Result<std::vector<StateFile>> files = ReadStateFiles(nullptr, folder);
  if (!files.ok()) return files.status();
  return SnapshotManifest{.position = *std::move(position), .files = *std::move(files)};
}

Status ClusterNode::KeepSnapshot(const StatePosition& position) {
  if (awaits_state_) return TakeState(position);
  return state_folder_.Keep({position.index, position.term});
}

// Of the disk a segment of the log and what the state has in memory must find room, too.
Status ClusterNode::CheckRoom(std::uint64_t bytes) {
  constexpr std::uint64_t kMegabyte = 1 << 20;
  const std::uint64_t needed = bytes + options_.segment_bytes + kStateBytesInMemory;
  const std::uint64_t free = room_.free_bytes();
  if (free >= needed) return {};
  return {ErrorCode::kQuotaExceeded,
          fmt::format("{} MB of it are to come, which takes {} MB of the disk, and {} MB are free",
                      bytes / kMegabyte, needed / kMegabyte, free / kMegabyte)};
}

void ClusterNode::SendToPeer(RaftId to, Traffic traffic, NodeMessageKind kind,
                             std::string content) {
  peers_.Send(NodeId(to), traffic, EncodeNodeMessage(kind, std::move(content)));
}

void ClusterNode::ReportSnapshot(RaftId receiver, bool is_taken) {
  RaftThread* const raft = raft_;
  if (raft == nullptr) return;
  raft->Do([receiver, is_taken](RaftNode& node) { node.OnSnapshotSent(receiver, is_taken); });
}

void ClusterNode::DeliverOffer(RaftId sender, std::string offer) {
  if (awaits_state_) return world_.reopen();
  RaftThread* const raft = raft_;
  if (raft != nullptr) raft->Receive(sender, std::move(offer));
}

Result<std::string> ClusterNode::ConfigurationIn(const std::string& members) {
  Result<MemberBook> book = MemberBook::Decode(members);
  if (!book.ok()) return book.status();
  return std::move(book->configuration);
}

void ClusterNode::Install(const RaftSnapshot& snapshot) {
  spdlog::info("the log begins at the snapshot as of entry {}: the node opens anew",
               snapshot.index);
  world_.reopen();
}

}  // namespace wharf

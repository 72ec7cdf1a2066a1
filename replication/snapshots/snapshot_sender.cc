#include "replication/snapshots/snapshot_sender.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

#include "storage/rocks/rocks_folder.h"

namespace wharf {

SnapshotSender::SnapshotSender(Options options, std::shared_ptr<rocksdb::FileSystem> file_system,
                               World& world)
    : options_(std::move(options)), file_system_(std::move(file_system)), world_(world) {
  Clear();
}

void SnapshotSender::Want(std::uint64_t from, Duration now) {
  const bool fits = manifest_ && manifest_->position.index >= from;
  const bool is_too_soon = not_before_ && now < *not_before_;
  if (fits || !receivers_.empty() || is_too_soon) return;
  Make(now);
  // This node is not so far itself.
  if (manifest_ && manifest_->position.index < from) not_before_ = now + options_.pause;
}

void SnapshotSender::Make(Duration now) {
  Clear();
  Result<SnapshotManifest> made = world_.Make(options_.folder);
  if (!made.ok()) {
    spdlog::warn("a member needs a snapshot, and it cannot be made: {}", made.status().message());
    not_before_ = now + options_.pause;
    return;
  }
  manifest_ = *std::move(made);
  // What was asked now may have taken minutes to make: the next look tells the time.
  used_.reset();
  spdlog::info("a snapshot of the state as of entry {} is there: {} files, {} bytes",
               manifest_->position.index, manifest_->files.size(), manifest_->bytes());
}

void SnapshotSender::OnOffered(RaftId receiver, Duration now) {
  receivers_[receiver] = {.began = now, .heard = now};
  used_ = now;
}

void SnapshotSender::OnAsk(RaftId receiver, const SnapshotAsk& ask, Duration now) {
  if (!manifest_ || manifest_->id != ask.snapshot) {
    return world_.Answer(receiver, {.snapshot = ask.snapshot, .kind = SnapshotAnswer::Kind::kGone});
  }
  const auto found = receivers_.find(receiver);
  if (found == receivers_.end()) return;
  used_ = now;
  found->second.heard = now;
  if (ask.kind != SnapshotAsk::Kind::kManifest) {
    is_refused_ = ask.kind == SnapshotAsk::Kind::kRefused;
  }
  if (ask.kind == SnapshotAsk::Kind::kTaken) return End(receiver, true);
  if (ask.kind == SnapshotAsk::Kind::kRefused) {
    found->second.fails_at = now + options_.pause;
    return;
  }
  world_.Answer(receiver, AnswerTo(ask, found->second));
}

SnapshotAnswer SnapshotSender::AnswerTo(const SnapshotAsk& ask, Receiver& receiver) {
  SnapshotAnswer answer{.snapshot = ask.snapshot, .file = ask.file, .offset = ask.offset};
  if (ask.kind == SnapshotAsk::Kind::kManifest) {
    answer.kind = SnapshotAnswer::Kind::kManifest;
    answer.bytes = manifest_->Encode();
    return answer;
  }
  std::optional<std::string> piece = Read(ask);
  answer.kind = piece ? SnapshotAnswer::Kind::kPiece : SnapshotAnswer::Kind::kGone;
  if (!piece) return answer;
  receiver.bytes = ask.offset + piece->size();
  for (std::size_t at = 0; at < ask.file; ++at) receiver.bytes += manifest_->files[at].bytes;
  answer.bytes = *std::move(piece);
  return answer;
}

std::optional<std::string> SnapshotSender::Read(const SnapshotAsk& ask) {
  if (ask.file >= manifest_->files.size()) return std::nullopt;
  if (open_ != ask.file) {
    const std::string path = options_.folder + "/" + manifest_->files[ask.file].name;
    const rocksdb::IOStatus opened =
        file_system_->NewRandomAccessFile(path, rocksdb::FileOptions(), &reader_, nullptr);
    open_ = opened.ok() ? std::optional(ask.file) : std::nullopt;
    if (!opened.ok()) return std::nullopt;
  }
  std::string space(std::min<std::size_t>(ask.bytes, kSnapshotPieceBytesMax), '\0');
  rocksdb::Slice read;
  const rocksdb::IOStatus status =
      reader_->Read(ask.offset, space.size(), kNoOptions, &read, space.data(), nullptr);
  if (!status.ok() || read.empty()) return std::nullopt;
  if (read.data() != space.data()) return read.ToString();
  space.resize(read.size());
  return space;
}

void SnapshotSender::End(RaftId receiver, bool is_taken) {
  receivers_.erase(receiver);
  world_.Report(receiver, is_taken);
}

void SnapshotSender::Tick(Duration now) {
  std::vector<RaftId> failed;
  for (const auto& [receiver, state] : receivers_) {
    const bool is_silent =
        now - state.heard > options_.patience || now - state.began > options_.longest;
    if (is_silent || (state.fails_at && now >= *state.fails_at)) failed.push_back(receiver);
  }
  for (const RaftId receiver : failed) End(receiver, false);
  if (!used_) used_ = now;
  if (manifest_ && receivers_.empty() && now - *used_ > options_.kept) Clear();
}

// What is left behind of a process before goes, too.
void SnapshotSender::Clear() {
  manifest_.reset();
  is_refused_ = false;
  open_.reset();
  reader_.reset();
  std::error_code error;
  std::filesystem::remove_all(options_.folder, error);
  if (error) spdlog::warn("{} cannot be removed: {}", options_.folder, error.message());
}

std::optional<SnapshotSender::Progress> SnapshotSender::progress() const {
  if (!manifest_ || receivers_.empty()) return std::nullopt;
  const auto& [receiver, state] = *receivers_.begin();
  return Progress{receiver, state.bytes, manifest_->bytes()};
}

}  // namespace wharf

#include "replication/snapshots/snapshot_receiver.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

namespace wharf {
namespace {

double SecondsOf(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

std::string EncodeSnapshotId(std::uint64_t id) { return std::to_string(id); }

std::optional<std::uint64_t> DecodeSnapshotId(std::string_view data) {
  std::uint64_t id = 0;
  const auto [end, wrong] = std::from_chars(data.data(), data.data() + data.size(), id);
  if (wrong != std::errc() || end != data.data() + data.size() || id == 0) return std::nullopt;
  return id;
}

// The same again is from a sender that heard nothing for long, or was told that it failed.
void SnapshotReceiver::OnOffer(RaftId sender, const RaftSnapshot& snapshot, std::string offer,
                               Duration now) {
  const std::optional<std::uint64_t> id = DecodeSnapshotId(snapshot.data);
  if (!id) return;
  if (taking_ && taking_->id == *id && taking_->sender == sender) {
    taking_->offer = std::move(offer);
    taking_->heard = now;
    return;
  }
  spdlog::info("a snapshot of the state as of entry {} is on its way", snapshot.index);
  taking_.emplace();
  taking_->sender = sender;
  taking_->id = *id;
  taking_->place = {snapshot.index, snapshot.term};
  taking_->offer = std::move(offer);
  taking_->heard = now;
  budget_ = 0;
  refilled_ = now;
  AskOn(now);
}

void SnapshotReceiver::OnAnswer(RaftId sender, SnapshotAnswer answer, Duration now) {
  if (!taking_ || taking_->sender != sender || taking_->id != answer.snapshot) return;
  if (answer.kind == SnapshotAnswer::Kind::kGone) {
    spdlog::info("the snapshot as of entry {} is gone", taking_->place.index);
    return taking_.reset();
  }
  if (answer.kind == SnapshotAnswer::Kind::kManifest) {
    OnManifest(answer, now);
  } else {
    OnPiece(answer, now);
  }
  if (taking_) FinishIfWhole();
  if (taking_) AskOn(now);
}

void SnapshotReceiver::OnManifest(const SnapshotAnswer& answer, Duration now) {
  if (taking_->files != nullptr) return;
  Result<SnapshotManifest> manifest = SnapshotManifest::Decode(answer.bytes);
  if (!manifest.ok()) return Refuse(manifest.status());
  const LogPlace place{manifest->position.index, manifest->position.term};
  if (manifest->id != taking_->id || place != taking_->place) {
    return Refuse({ErrorCode::kArgumentError, "its files are another snapshot's"});
  }
  Result<std::unique_ptr<IncomingSnapshot>> files =
      IncomingSnapshot::Open(file_system_, options_.folder, *std::move(manifest));
  if (!files.ok()) return Refuse(files.status());
  const std::uint64_t missing = (*files)->manifest().bytes() - (*files)->bytes();
  if (const Status room = world_.CheckRoom(missing); !room.ok()) return Refuse(room);
  taking_->files = *std::move(files);
  taking_->heard = now;
  taking_->asked_to = 0;
}

// Only what comes next is of use: a piece that is lost is asked for again, with all behind it.
void SnapshotReceiver::OnPiece(const SnapshotAnswer& answer, Duration now) {
  if (taking_->files == nullptr) return;
  const std::optional<IncomingSnapshot::Missing> missing = taking_->files->missing();
  const bool is_next = missing && answer.file == missing->file && answer.offset == missing->offset;
  if (!is_next || answer.bytes.empty() || answer.bytes.size() > missing->bytes) return;
  taking_->heard = now;
  const Status written = taking_->files->Write(answer.bytes);
  if (written.ok()) return;
  spdlog::warn("{}", written.message());
  const bool may_try_again = written.is_damage() && ++taking_->damages < options_.damages_max;
  if (!may_try_again) return Refuse(written);
  taking_->asked_to = 0;
}

void SnapshotReceiver::FinishIfWhole() {
  if (taking_->files == nullptr || taking_->files->missing()) return;
  if (const Status kept = world_.Keep(taking_->files->manifest().position); !kept.ok()) {
    return Refuse(kept);
  }
  refusal_.clear();
  const Taking done = *std::exchange(taking_, std::nullopt);
  world_.Ask(done.sender, {.snapshot = done.id, .kind = SnapshotAsk::Kind::kTaken});
  world_.Deliver(done.sender, done.offer);
}

void SnapshotReceiver::Refuse(const Status& why) {
  refusal_ = fmt::format("the snapshot as of entry {} cannot be taken: {}", taking_->place.index,
                         why.message());
  if (std::exchange(refused_, taking_->id) != taking_->id) spdlog::warn("{}", refusal_);
  world_.Ask(taking_->sender, {.snapshot = taking_->id, .kind = SnapshotAsk::Kind::kRefused});
  taking_.reset();
  // The disk may be full, and the node's log needs what is left of it.
  std::error_code ignored;
  std::filesystem::remove_all(options_.folder, ignored);
}

void SnapshotReceiver::Tick(Duration now) {
  if (!taking_) return;
  if (now - taking_->heard > options_.patience) {
    spdlog::info("the snapshot as of entry {} does not come on", taking_->place.index);
    return taking_.reset();
  }
  // From what is missing on, as if nothing had been asked for.
  if (now - std::max(taking_->heard, taking_->asked) > options_.ask_again) taking_->asked_to = 0;
  AskOn(now);
}

void SnapshotReceiver::Refill(Duration now) {
  const double most = static_cast<double>(options_.piece_bytes * options_.pieces_ahead);
  const double more = SecondsOf(now - refilled_) * static_cast<double>(options_.bytes_per_second);
  budget_ = std::min(most, budget_ + more);
  refilled_ = now;
}

void SnapshotReceiver::AskOn(Duration now) {
  if (taking_->files == nullptr) {
    const bool is_due = taking_->asked_to == 0;
    taking_->asked_to = 1;
    if (is_due) AskFor({.kind = SnapshotAsk::Kind::kManifest}, now);
    return;
  }
  const std::optional<IncomingSnapshot::Missing> missing = taking_->files->missing();
  if (!missing) return;
  Refill(now);
  if (std::exchange(taking_->file, missing->file) != missing->file) taking_->asked_to = 0;
  taking_->asked_to = std::max(taking_->asked_to, missing->offset);
  const std::uint64_t end = missing->offset + missing->bytes;
  const std::uint64_t ahead = options_.piece_bytes * options_.pieces_ahead;
  while (taking_->asked_to < end && taking_->asked_to < missing->offset + ahead && budget_ > 0) {
    const std::uint64_t bytes =
        std::min<std::uint64_t>(options_.piece_bytes, end - taking_->asked_to);
    AskFor({.kind = SnapshotAsk::Kind::kPiece,
            .file = missing->file,
            .offset = taking_->asked_to,
            .bytes = static_cast<std::uint32_t>(bytes)},
           now);
    taking_->asked_to += bytes;
    budget_ -= static_cast<double>(bytes);
  }
}

void SnapshotReceiver::AskFor(SnapshotAsk ask, Duration now) {
  ask.snapshot = taking_->id;
  taking_->asked = now;
  world_.Ask(taking_->sender, ask);
}

std::optional<SnapshotReceiver::Progress> SnapshotReceiver::progress() const {
  if (!taking_) return std::nullopt;
  if (taking_->files == nullptr) return Progress{.sender = taking_->sender};
  return Progress{taking_->sender, taking_->files->bytes(), taking_->files->manifest().bytes()};
}

}  // namespace wharf

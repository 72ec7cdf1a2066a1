#include "replication/snapshots/snapshot_exchange.h"

#include <charconv>
#include <utility>

#include <boost/asio/post.hpp>

#include "storage/base/log_limit.h"

namespace wharf {
namespace {

constexpr Duration kPace = std::chrono::milliseconds(20);
// Messages of peers that wait for the thread; a piece has a MiB at most.
constexpr int kWaitingMax = 16;

}  // namespace

SnapshotExchange::SnapshotExchange(const Options& options, const RaftLibrary& library,
                                   Random& random, Node& node)
    : library_(library),
      random_(random),
      node_(node),
      sender_(options.sender, rocksdb::FileSystem::Default(), *this),
      receiver_(options.receiver, rocksdb::FileSystem::Default(), *this),
      ticks_(kPace, [this] {
        // One at a time: the thread may be at the disk for seconds.
        if (waiting_ > 0) return;
        Post([this] {
          sender_.Tick(SteadyNow());
          receiver_.Tick(SteadyNow());
        });
      }) {}

void SnapshotExchange::Stop() {
  ticks_.Stop();
  thread_.stop();
  thread_.join();
  // Its links would hold space for as long as the node is down.
  sender_.Clear();
}

void SnapshotExchange::Post(std::function<void()> work) {
  ++waiting_;
  boost::asio::post(thread_, [this, work = std::move(work)] {
    --waiting_;
    work();
    Show();
  });
}

std::optional<RaftSnapshot> SnapshotExchange::Offer(std::uint64_t from) {
  MutexLock lock(mutex_);
  const bool is_taken = shown_.progress.sending.has_value();
  if (shown_.snapshot && shown_.snapshot->index >= from && !is_taken) return shown_.snapshot;
  if (!std::exchange(shown_.is_wanted, true)) Post([this, from] { Want(from); });
  return std::nullopt;
}

void SnapshotExchange::Want(std::uint64_t from) {
  sender_.Want(from, SteadyNow());
  MutexLock lock(mutex_);
  shown_.is_wanted = false;
}

void SnapshotExchange::OnOffered(RaftId receiver) {
  Post([this, receiver] { sender_.OnOffered(receiver, SteadyNow()); });
}

void SnapshotExchange::OnMessage(RaftId from, NodeMessageKind kind, std::string content) {
  if (waiting_ >= kWaitingMax) return;
  Post([this, from, kind, content = std::move(content)]() mutable {
    Handle(from, kind, std::move(content));
  });
}

void SnapshotExchange::Handle(RaftId from, NodeMessageKind kind, std::string content) {
  if (kind == NodeMessageKind::kSnapshotOffer) return OnOffer(from, std::move(content));
  if (kind == NodeMessageKind::kSnapshotWanted) {
    std::uint64_t index = 0;
    const auto read = std::from_chars(content.data(), content.data() + content.size(), index);
    if (read.ec == std::errc() && read.ptr == content.data() + content.size())
      OnWanted(from, index);
  } else if (kind == NodeMessageKind::kSnapshotNotice) {
    if (const auto notice = SnapshotNotice::Decode(content)) OnNotice(from, *notice);
  } else if (kind == NodeMessageKind::kSnapshotAsk) {
    const std::optional<SnapshotAsk> ask = SnapshotAsk::Decode(content);
    if (ask) sender_.OnAsk(from, *ask, SteadyNow());
  } else if (std::optional<SnapshotAnswer> answer = SnapshotAnswer::Decode(content)) {
    receiver_.OnAnswer(from, *std::move(answer), SteadyNow());
  }
}

void SnapshotExchange::OnOffer(RaftId from, std::string offer) {
  const Result<RaftSnapshot> snapshot = library_.DecodeSnapshot(offer);
  if (snapshot.ok()) receiver_.OnOffer(from, *snapshot, std::move(offer), SteadyNow());
}

// Whoever takes one is not disturbed by who comes later: that one asks others, too.
void SnapshotExchange::OnWanted(RaftId from, std::uint64_t index) {
  using Kind = SnapshotNotice::Kind;
  const std::optional<SnapshotSender::Progress> taken = sender_.progress();
  if (taken && taken->receiver != from) return Notice(from, {.kind = Kind::kNone});
  const SnapshotManifest* manifest = sender_.current();
  if (manifest == nullptr || manifest->position.index < index) {
    Notice(from, {.kind = Kind::kBeingMade});
    sender_.Want(index, SteadyNow());
    manifest = sender_.current();
  }
  if (manifest == nullptr || manifest->position.index < index) {
    return Notice(from, {.kind = Kind::kNone});
  }
  sender_.OnOffered(from, SteadyNow());
  Notice(from, {.snapshot = manifest->id,
                .kind = Kind::kReady,
                .place = {manifest->position.index, manifest->position.term}});
}

void SnapshotExchange::Notice(RaftId to, const SnapshotNotice& notice) {
  node_.SendToPeer(to, Traffic::kSmall, NodeMessageKind::kSnapshotNotice, notice.Encode());
}

// Several may answer: the first one is taken.
void SnapshotExchange::OnNotice(RaftId from, const SnapshotNotice& notice) {
  if (notice.kind != SnapshotNotice::Kind::kReady || receiver_.progress()) return;
  const RaftSnapshot snapshot{
      notice.place.index, notice.place.term, {}, EncodeSnapshotId(notice.snapshot)};
  receiver_.OnOffer(from, snapshot, {}, SteadyNow());
}

Result<SnapshotManifest> SnapshotExchange::Make(const std::string& folder) {
  Result<SnapshotManifest> made = node_.MakeSnapshot(folder);
  if (!made.ok()) return made;
  while (made->id == 0) made->id = random_.Next();
  return made;
}

void SnapshotExchange::Answer(RaftId receiver, const SnapshotAnswer& answer) {
  node_.SendToPeer(receiver, Traffic::kBulk, NodeMessageKind::kSnapshotAnswer, answer.Encode());
}

void SnapshotExchange::Ask(RaftId sender, const SnapshotAsk& ask) {
  node_.SendToPeer(sender, Traffic::kSmall, NodeMessageKind::kSnapshotAsk, ask.Encode());
}

void SnapshotExchange::Deliver(RaftId sender, std::string offer) {
  node_.DeliverOffer(sender, std::move(offer));
}

void SnapshotExchange::Show() {
  const SnapshotManifest* const manifest = sender_.current();
  Shown shown;
  if (manifest != nullptr) {
    const Result<std::string> configuration = node_.ConfigurationIn(manifest->position.members);
    if (configuration.ok()) {
      shown.snapshot = RaftSnapshot{manifest->position.index, manifest->position.term,
                                    *configuration, EncodeSnapshotId(manifest->id)};
    }
  }
  shown.pins_log = sender_.pins_log();
  shown.progress = {sender_.progress(), receiver_.progress(), receiver_.refusal()};
  MutexLock lock(mutex_);
  shown.is_wanted = shown_.is_wanted;
  shown_ = std::move(shown);
}

std::optional<std::uint64_t> SnapshotExchange::pinned() const {
  MutexLock lock(mutex_);
  if (!shown_.snapshot || !shown_.pins_log) return std::nullopt;
  return shown_.snapshot->index;
}

SnapshotExchange::Progress SnapshotExchange::progress() const {
  MutexLock lock(mutex_);
  return shown_.progress;
}

}  // namespace wharf

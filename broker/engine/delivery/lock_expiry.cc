#include "broker/engine/delivery/lock_expiry.h"

#include <utility>

#include <spdlog/spdlog.h>

#include "absl/types/span.h"
#include "storage/base/log_fields.h"

namespace wharf {
namespace {

// Locks of one lane that end in one turn; more end in the next.
constexpr std::size_t kLocksEndedPerTurn = 1024;

}  // namespace

void LockExpiry::NoteDeadline(const Lane& lane) { deadlines_.Set(lane.id(), lane.next_deadline()); }

void LockExpiry::OnEntityDeleted(EntityId entity, const Status& /*reason*/, Turn& /*turn*/) {
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    deadlines_.Set({entity, kind}, kNever);
  }
}

// What a long stop left is due all at once; what does not fit into this turn is due in the next.
void LockExpiry::PlanDue(Turn& turn) {
  while (!turn.is_full()) {
    const std::optional<LaneId> lane = deadlines_.TakeDue(turn.now);
    if (!lane) return;
    ExpireLocks(*lane, turn);
    sessions_.ExpireDue(*lane, turn);
  }
}

void LockExpiry::ExpireLocks(LaneId lane, Turn& turn) {
  Queue* queue = context_.catalog.Find(lane.entity);
  if (queue == nullptr) return;
  context_.touched.Touch(lane);
  const std::vector<LockToken> need_content =
      queue->redelivery().ExpireLocks(lane.kind, turn.now, kLocksEndedPerTurn, turn.changes);
  if (!need_content.empty()) ExpireWithContent(lane, need_content, turn);
}

void LockExpiry::ExpireWithContent(LaneId lane, const std::vector<LockToken>& tokens, Turn& turn) {
  for (std::size_t at = 0; at < tokens.size(); at += MoveLine::kMessagesPerStep) {
    const auto part = absl::MakeConstSpan(tokens).subspan(at, MoveLine::kMessagesPerStep);
    ++under_way_;
    moves_.Enter(turn, [this, lane, part = std::vector<LockToken>(part.begin(), part.end())](
                           Turn& step) mutable { ReadExpired(lane, std::move(part), step); });
  }
}

void LockExpiry::ReadExpired(LaneId lane, std::vector<LockToken> tokens, Turn& turn) {
  const Queue* queue = context_.catalog.Find(lane.entity);
  if (queue == nullptr) return EndStep(turn);
  std::vector<SequenceNumber> numbers;
  numbers.reserve(tokens.size());
  for (const LockToken& token : tokens) {
    const Lock* lock = queue->lane(lane.kind).locks().Get(token);
    if (lock != nullptr) numbers.push_back(lock->number);
  }
  context_.reads.ReadAfter(
      turn,
      [this, lane, shelf = queue->lane(lane.kind).shelf(), tokens = std::move(tokens),
       numbers = std::move(numbers)](const StoreView& view) mutable -> Task {
        return [this, lane, tokens = std::move(tokens),
                contents = ReadReadable(view, shelf, numbers)](Turn& later) {
          DeadLetterExpired(lane, tokens, contents, later);
          EndStep(later);
        };
      });
}

void LockExpiry::EndStep(Turn& turn) {
  --under_way_;
  moves_.Leave(turn);
}

void LockExpiry::DeadLetterExpired(LaneId lane, const std::vector<LockToken>& tokens,
                                   const Result<ReadableContents>& contents, Turn& turn) {
  Queue* queue = context_.catalog.Find(lane.entity);
  if (queue == nullptr) return;
  context_.touched.Touch(lane);
  context_.touched.Touch({lane.entity, LaneKind::kDeadLetter});
  const ReadableContents none;
  const ReadableContents& read = contents.ok() ? *contents : none;
  for (const LockToken& token : tokens) {
    const bool is_done =
        queue->redelivery().ExpireLock(lane.kind, token, read.messages, turn.now, turn.changes);
    if (!is_done) Quarantine(queue->lane(lane.kind), token, read, turn);
  }
  if (contents.ok()) return;
  const LogFields about({{"entity", queue->description().name}});
  spdlog::error("messages of '{}' cannot be dead-lettered: {}", queue->description().name,
                contents.status().message());
}

// If the store could not be read at all it stays where it is, locked by nobody, until the next
// start.
void LockExpiry::Quarantine(Lane& lane, const LockToken& token, const ReadableContents& read,
                            Turn& turn) {
  const auto unreadable = read.unreadable.find(lane.locks().Get(token)->number);
  if (unreadable == read.unreadable.end()) return;
  lane.QuarantineLocked(token, unreadable->second, turn.now, turn.changes);
}

void LockExpiry::ReleaseUnheard(LaneId lane, const std::vector<LockToken>& tokens, Turn& turn) {
  Queue* queue = context_.catalog.Find(lane.entity);
  if (queue == nullptr) return;
  context_.touched.Touch(lane);
  const Settlement release{.verb = SettleVerb::kRelease};
  for (const LockToken& token : tokens) {
    // A lock that ended meanwhile needs no release. A message that has expired, and is needed to be
    // dead-lettered, is released by the end of its lock.
    static_cast<void>(
        queue->settling().Settle(lane.kind, token, release, {}, turn.now, turn.changes));
  }
}

}  // namespace wharf

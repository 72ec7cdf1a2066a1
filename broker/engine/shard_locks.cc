// How locks end when their time is over, and what their messages need for it.

#include <utility>

#include <spdlog/spdlog.h>

#include "absl/types/span.h"
#include "broker/engine/shard.h"

namespace wharf {
namespace {

// Locks of one lane that end in one turn; more end in the next.
constexpr std::size_t kLocksEndedPerTurn = 1024;

}  // namespace

void Shard::ExpireLocks(LaneId lane, Turn& turn) {
  Queue* queue = catalog_.Find(lane.entity);
  if (queue == nullptr) return;
  Touch(lane);
  const std::vector<LockToken> need_content =
      queue->ExpireLocks(lane.kind, turn.now, kLocksEndedPerTurn, turn.changes);
  if (!need_content.empty()) ExpireWithContent(lane, need_content, turn);
}

void Shard::ExpireWithContent(LaneId lane, const std::vector<LockToken>& tokens, Turn& turn) {
  for (std::size_t at = 0; at < tokens.size(); at += MoveLine::kMessagesPerStep) {
    const auto part = absl::MakeConstSpan(tokens).subspan(at, MoveLine::kMessagesPerStep);
    ++expiries_under_way_;
    moves_.Enter(turn, [this, lane, part = std::vector<LockToken>(part.begin(), part.end())](
                           Turn& step) mutable { ReadExpired(lane, std::move(part), step); });
  }
}

void Shard::ReadExpired(LaneId lane, std::vector<LockToken> tokens, Turn& turn) {
  const Queue* queue = catalog_.Find(lane.entity);
  if (queue == nullptr) return EndExpiry(turn);
  std::vector<SequenceNumber> numbers;
  numbers.reserve(tokens.size());
  for (const LockToken& token : tokens) {
    const Lock* lock = queue->lane(lane.kind).locks().Get(token);
    if (lock != nullptr) numbers.push_back(lock->number);
  }
  ReadAfter(turn,
            [this, lane, shelf = queue->lane(lane.kind).shelf(), tokens = std::move(tokens),
             numbers = std::move(numbers)](const StoreView& view) mutable -> Task {
              return [this, lane, tokens = std::move(tokens),
                      contents = ReadEnvelopes(view, shelf, numbers)](Turn& later) {
                DeadLetterExpired(lane, tokens, contents, later);
                EndExpiry(later);
              };
            });
}

void Shard::EndExpiry(Turn& turn) {
  --expiries_under_way_;
  moves_.Leave(turn);
}

void Shard::DeadLetterExpired(LaneId lane, const std::vector<LockToken>& tokens,
                              const Result<Contents>& contents, Turn& turn) {
  Queue* queue = catalog_.Find(lane.entity);
  if (queue == nullptr) return;
  Touch(lane);
  Touch({lane.entity, LaneKind::kDeadLetter});
  const Contents none;
  for (const LockToken& token : tokens) {
    // What cannot be read stays where it is, locked by nobody, until the next start.
    if (!queue->ExpireLock(lane.kind, token, contents.ok() ? *contents : none, turn.now,
                           turn.changes)) {
      spdlog::error("a message of '{}' cannot be dead-lettered: {}", queue->description().name,
                    contents.ok() ? "it is not in the store" : contents.status().message());
    }
  }
}

void Shard::ReleaseUnheard(LaneId lane, const std::vector<LockToken>& tokens, Turn& turn) {
  Queue* queue = catalog_.Find(lane.entity);
  if (queue == nullptr) return;
  Touch(lane);
  const Settlement release{.verb = SettleVerb::kRelease};
  for (const LockToken& token : tokens) {
    // A lock that ended meanwhile needs no release. A message that has expired, and is needed to be
    // dead-lettered, is released by the end of its lock.
    static_cast<void>(queue->Settle(lane.kind, token, release, {}, turn.now, turn.changes));
  }
}

void Shard::UpdateDeadline(LaneId lane, Timestamp deadline) {
  const auto found = deadline_of_.find(lane);
  if (found != deadline_of_.end()) {
    deadlines_.erase({found->second, lane});
    deadline_of_.erase(found);
  }
  if (deadline == kNever) return;
  deadlines_.emplace(deadline, lane);
  deadline_of_.emplace(lane, deadline);
}

}  // namespace wharf

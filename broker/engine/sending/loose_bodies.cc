#include "broker/engine/sending/loose_bodies.h"

#include <algorithm>
#include <utility>

namespace wharf {
namespace {

// Each may have a few chunks on their way to the log.
constexpr std::size_t kUploadsMax = 64;
constexpr std::size_t kOrphansPerTurn = 64;

}  // namespace

Result<BodyRef> LooseBodies::BeginUpload(EntityId entity, std::uint64_t size,
                                         std::shared_ptr<Arriving> arriving, Turn& turn) {
  if (arriving_.size() == kUploadsMax) {
    const auto slow = std::find_if(arriving_.begin(), arriving_.end(),
                                   [&turn](const auto& other) { return other->is_slow(turn.now); });
    if (slow == arriving_.end()) {
      return Status(ErrorCode::kServiceBusy,
                    "the broker receives as many large messages as it can take at a time");
    }
    const std::shared_ptr<Arriving> leaving = *slow;
    leaving->GiveWay(turn);
  }
  arriving_.push_back(std::move(arriving));
  return BodyRef{entity, SequenceNumber(random_.Next() | BodyRef::kUploadedBit), size};
}

void LooseBodies::EndUpload(const Arriving& arriving) {
  std::erase_if(arriving_, [&](const auto& each) { return each.get() == &arriving; });
}

void LooseBodies::Drop(const BodyRef& body, Turn& turn) {
  turn.changes.push_back(LooseBodyDropped{body});
}

void LooseBodies::DropOrphans(Turn& turn) {
  for (std::size_t i = 0; i < kOrphansPerTurn && !orphans_.empty(); ++i) {
    Drop(orphans_.back(), turn);
    orphans_.pop_back();
  }
}

}  // namespace wharf

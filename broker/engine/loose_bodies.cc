#include "broker/engine/loose_bodies.h"

namespace wharf {
namespace {

// Each may have a few chunks on their way to the log.
constexpr std::size_t kUploadsMax = 64;
constexpr std::size_t kOrphansPerTurn = 64;

}  // namespace

Result<BodyRef> LooseBodies::BeginUpload(EntityId entity, std::uint64_t size) {
  if (uploads_ == kUploadsMax) {
    return Status(ErrorCode::kServiceBusy,
                  "the broker receives as many large messages as it can take at a time");
  }
  ++uploads_;
  return BodyRef{entity, SequenceNumber(random_.Next() | BodyRef::kUploadedBit), size};
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

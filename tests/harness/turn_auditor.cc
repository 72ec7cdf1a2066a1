#include "tests/harness/turn_auditor.h"

#include <set>
#include <variant>

#include <fmt/core.h>

namespace wharf {
namespace {

// What one turn changes, and what it writes.
class Audit {
 public:
  void Note(const MessageEnqueued& change) { Touch(change.lane); }
  void Note(const MessageLocked& change) { Touch(change.lane); }
  void Note(const MessageCompleted& change) { Touch(change.lane); }
  void Note(const MessageConsumed& change) { Touch(change.lane); }
  void Note(const MessageReturned& change) { Touch(change.lane); }
  void Note(const MessageDelayed& change) { Touch(change.lane); }
  void Note(const MessageDelayEnded& change) { Touch(change.lane); }
  void Note(const MessageDeferred& change) { Touch(change.lane); }
  void Note(const MessageUndeferred& change) { Touch(change.lane); }
  void Note(const MessageQuarantined& change) { Touch(change.lane); }
  void Note(const ScheduledQuarantined& change) { Touch(change.lane); }
  void Note(const MessageRemoved& change) { Touch(change.lane); }
  void Note(const MessagesExpired& change) { Touch(change.lane); }
  void Note(const MessageCopied& change) { Touch(change.lane); }
  void Note(const MessageActivated& change) { Touch(change.lane); }
  void Note(const LanePurged& change) { Touch(change.shelf); }
  void Note(const MessageScheduled& change) { TouchMain(change.entity); }
  void Note(const ScheduledCancelled& change) { TouchMain(change.entity); }
  void Note(const ScheduledPurged& change) { TouchMain(change.entity); }
  void Note(const SessionStateSet& change) { TouchMain(change.entity); }
  void Note(const MessageDeadLettered& change) { Move(change.from_lane, change.to_lane); }
  void Note(const MessageRedriven& change) { Move(change.from_lane, change.to_lane); }
  void Note(const MessageForwarded& change) { Move(change.from_lane, change.to_lane); }
  void Note(const MessagePublished& change) {
    TouchMain(change.topic);
    if (change.origin) Touch((*change.origin)->lane);
  }
  void Note(const EntityDeleted& change) { deleted_.insert(change.id); }
  void Note(const CountersChanged& change) { written_.insert(change.lane); }
  // What changes no counters.
  template <typename Other>
  void Note(const Other&) {}

  std::string Wrong() const {
    std::string wrong;
    for (const LaneId& lane : touched_) {
      if (written_.contains(lane) || deleted_.contains(lane.entity)) continue;
      wrong += fmt::format("a turn changed the {} of entity {} and not its counters; ",
                           lane.kind == LaneKind::kMain ? "main lane" : "dead-letter queue",
                           lane.entity.value());
    }
    return wrong;
  }

 private:
  void Touch(const Shelf& shelf) { touched_.insert(shelf.lane()); }
  void TouchMain(EntityId entity) { touched_.insert({entity, LaneKind::kMain}); }
  void Move(const Shelf& from, const Shelf& to) {
    Touch(from);
    Touch(to);
  }

  std::set<LaneId> touched_;
  std::set<LaneId> written_;
  std::set<EntityId> deleted_;
};

}  // namespace

void TurnAuditor::OnChanges(const Changes& changes) {
  Audit audit;
  for (const Change& change : changes) {
    std::visit([&audit](const auto& each) { audit.Note(each); }, change);
  }
  wrong_ += audit.Wrong();
  if (next_ != nullptr) next_->OnChanges(changes);
}

}  // namespace wharf

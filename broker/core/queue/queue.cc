#include "broker/core/queue/queue.h"

#include <utility>

#include <fmt/core.h>

namespace wharf {
namespace {

// What an operator types after "wharf check".
std::string WordsOf(const EntityRecord& record) {
  const std::string& name = record.description.name;
  if (record.kind != EntityKind::kSubscription) {
    return fmt::format("{} {}", NameOf(record.kind), name);
  }
  const SubscriptionName parts = SplitSubscriptionPath(name);
  return fmt::format("subscription {} {}", parts.topic, parts.name);
}

}  // namespace

Queue::Queue(Image image, const QueueLimits& limits, Random& random, Watches& watches)
    : record_(std::move(image.record)),
      fence_(std::move(image.fence)),
      lanes_(record_, std::move(image.main), std::move(image.dead_letter), limits.lane, watches),
      placement_(record_, lanes_.main()),
      quota_(record_, lanes_.main(), lanes_.dead_letter()),
      duplicates_(record_, lanes_.main()),
      holds_(record_, lanes_),
      dead_letters_(record_, lanes_),
      expiry_(record_, lanes_, dead_letters_),
      redelivery_(record_, random, lanes_, expiry_, dead_letters_),
      entrance_(record_, lanes_.main(), quota_),
      scheduled_(record_, lanes_.main(), placement_, entrance_),
      sending_(record_, lanes_.main(), placement_, quota_, duplicates_, entrance_, scheduled_),
      arrivals_(record_, lanes_, placement_, quota_, duplicates_, entrance_),
      receiving_(record_, limits, random, lanes_, holds_, expiry_),
      settling_(record_, lanes_, holds_, dead_letters_, redelivery_),
      sessions_(record_, limits, random, lanes_, holds_, expiry_, redelivery_),
      session_states_(record_, lanes_, holds_, quota_),
      by_number_(record_, lanes_, receiving_, expiry_, dead_letters_) {}

// The same for everybody, and for as long as nobody does something about it: so as for an entity
// that was disabled.
Status Queue::CheckFence() const {
  if (!is_fenced()) return entrance_.CheckOutlet();
  return {
      ErrorCode::kMessagingEntityDisabled,
      fmt::format("'{}' is fenced, because what is stored of it does not agree: {}; 'wharf check "
                  "{} --repair' recounts it",
                  description().name, fence_, WordsOf(record_))};
}

void Queue::Reload(Image image) {
  fence_ = std::move(image.fence);
  lanes_.Reload(std::move(image.main), std::move(image.dead_letter));
}

void Queue::SetOutlet(Outlet& outlet) {
  entrance_.LeadTo(outlet);
  quota_.CountCopies(outlet);
}

void Queue::Update(QueueDescription description, Timestamp now, Changes& changes) {
  record_.description = std::move(description);
  record_.updated_at = now;
  NoteActivity(now);
  changes.push_back(EntityUpdated{record_});
}

Timestamp Queue::idle_deadline() const {
  const Duration idle = description().auto_delete_on_idle;
  const LaneCounters& counters = lanes_.main().counters();
  if (idle == kUnlimited || description().forward_to || counters.scheduled > 0) return kNever;
  return After(counters.active_at, idle);
}

// What is scheduled has hints, which go one by one; what is fenced counts nothing.
Remains Queue::remains() const {
  const Remains main = lanes_.main().remains();
  const Remains dead_letter = lanes_.dead_letter().remains();
  const bool has_scheduled = lanes_.main().counters().scheduled > 0;
  return {.messages = main.messages + dead_letter.messages,
          .can_go_unread =
              main.can_go_unread && dead_letter.can_go_unread && !has_scheduled && !is_fenced()};
}

std::int64_t Queue::Purge(LaneKind kind, std::uint8_t next_generation, bool with_scheduled,
                          Timestamp now, Changes& changes) {
  NoteActivity(now);
  std::int64_t purged = lane(kind).counters().messages();
  lane(kind).Purge(next_generation, changes);
  if (with_scheduled) {
    purged += lanes_.main().counters().scheduled;
    lanes_.main().PurgeScheduled(changes);
  }
  return purged;
}

}  // namespace wharf

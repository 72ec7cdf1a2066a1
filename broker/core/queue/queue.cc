#include "broker/core/queue/queue.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace wharf {
namespace {

// What an operator types after "wharf check".
std::string WordsOf(EntityKind kind, const std::string& name) {
  if (kind != EntityKind::kSubscription) return fmt::format("{} {}", NameOf(kind), name);
  const SubscriptionName parts = SplitSubscriptionPath(name);
  return fmt::format("subscription {} {}", parts.topic, parts.name);
}

}  // namespace

Queue::Queue(Image image, const World& world)
    : id_(image.record.id), kind_(image.record.kind), world_(world) {
  Fence(std::move(image.fence));
  MakeParts(std::move(image));
}

void Queue::MakeParts(Image image) const {
  parts_ = std::make_unique<QueueParts>(std::move(image.record), std::move(image.main),
                                        std::move(image.dead_letter), world_.limits, world_.random,
                                        world_.watches);
  if (outlet_ != nullptr) {
    parts_->entrance.LeadTo(*outlet_);
    parts_->quota.CountCopies(*outlet_);
  }
  parts_->quota.CountInto(total_.get());
  parts_->quota.CountIntoNamespace(namespace_size_);
  world_.awake.Note(id_);
}

// What was read for the lanes of before finds another life, and is thrown away.
void Queue::Wake() const {
  Resting resting = std::exchange(resting_, {});
  Image image;
  image.record = {id_, kind_, *resting.settings, resting.created_at, resting.updated_at};
  image.record.description.name = std::move(resting.name);
  image.main = Lane::ImageOf(resting.main, resting.entity, life_);
  image.dead_letter = Lane::ImageOf(resting.dead_letter, {}, life_);
  MakeParts(std::move(image));
}

bool Queue::Rest(Timestamp now, SharedSettings& known) {
  if (is_at_rest()) return true;
  Resting resting;
  RestingEntity none;
  const bool may = !is_fenced() && parts_->lanes.main().Rest(now, resting.main, resting.entity) &&
                   parts_->lanes.dead_letter().Rest(now, resting.dead_letter, none) &&
                   none == RestingEntity();
  if (!may) return false;
  EntityRecord& record = parts_->record;
  resting.name = record.description.name;
  resting.settings = known.Share(std::move(record.description));
  resting.created_at = record.created_at;
  resting.updated_at = record.updated_at;
  life_ = 1 + std::max(parts_->lanes.main().life(), parts_->lanes.dead_letter().life());
  resting_ = std::move(resting);
  parts_.reset();
  return true;
}

LaneCounters Queue::counters(LaneKind kind) const {
  if (!is_at_rest()) return lane(kind).counters();
  return kind == LaneKind::kMain ? resting_.main.CountersOf(resting_.entity)
                                 : resting_.dead_letter.CountersOf({});
}

Shelf Queue::shelf(LaneKind kind) const {
  if (!is_at_rest()) return lane(kind).shelf();
  const RestingLane& resting = kind == LaneKind::kMain ? resting_.main : resting_.dead_letter;
  return {id_, kind, resting.generation};
}

std::int64_t Queue::bytes() const {
  if (!is_at_rest()) return parts_->quota.bytes();
  return outlet_ == nullptr ? 0 : outlet_->bytes();
}

// The same for everybody, and for as long as nobody does something about it: so as for an entity
// that was disabled.
Status Queue::CheckFence() const {
  if (!is_fenced()) return outlet_ == nullptr ? Status() : outlet_->Check();
  return {
      ErrorCode::kMessagingEntityDisabled,
      fmt::format("'{}' is fenced, because what is stored of it does not agree: {}; 'wharf check "
                  "{} --repair' recounts it",
                  name(), fence(), WordsOf(kind_, name()))};
}

void Queue::Fence(std::string reason) {
  fence_ = reason.empty() ? nullptr : std::make_unique<const std::string>(std::move(reason));
}

void Queue::Reload(Image image) {
  Fence(std::move(image.fence));
  parts().lanes.Reload(std::move(image.main), std::move(image.dead_letter));
}

void Queue::SetOutlet(Outlet& outlet) {
  outlet_ = &outlet;
  if (is_at_rest()) return;
  parts_->entrance.LeadTo(outlet);
  parts_->quota.CountCopies(outlet);
}

void Queue::CountInto(std::shared_ptr<std::int64_t> total) {
  if (!is_at_rest()) parts_->quota.CountInto(total.get());
  total_ = std::move(total);
}

void Queue::CountIntoNamespace(NamespaceSize& size) {
  namespace_size_ = &size;
  if (!is_at_rest()) parts_->quota.CountIntoNamespace(&size);
}

void Queue::Update(QueueDescription description, Timestamp now, Changes& changes) {
  EntityRecord& record = parts().record;
  record.description = std::move(description);
  record.updated_at = now;
  NoteActivity(now);
  changes.push_back(EntityUpdated{record});
}

Timestamp Queue::idle_deadline() const {
  const Duration idle = settings().auto_delete_on_idle;
  const LaneCounters counters = this->counters(LaneKind::kMain);
  if (idle == kUnlimited || settings().forward_to || counters.scheduled > 0) return kNever;
  return After(counters.active_at, idle);
}

// What is scheduled has hints, which go one by one; what is fenced counts nothing.
Remains Queue::remains() const {
  if (is_at_rest()) return {.can_go_unread = true};
  const Remains main = parts_->lanes.main().remains();
  const Remains dead_letter = parts_->lanes.dead_letter().remains();
  const bool has_scheduled = parts_->lanes.main().counters().scheduled > 0;
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
    purged += parts().lanes.main().counters().scheduled;
    parts().lanes.main().PurgeScheduled(changes);
  }
  return purged;
}

}  // namespace wharf

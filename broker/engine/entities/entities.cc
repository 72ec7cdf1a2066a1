#include "broker/engine/entities/entities.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace wharf {
namespace {

// Subscriptions of one topic.
constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

}  // namespace

Result<Queue*> Entities::Create(EntityKind kind, QueueDescription description,
                                std::optional<RuleDescription> first_rule, const Author& author,
                                Turn& turn) {
  WHARF_RETURN_IF_ERROR(context_.open.Check());
  WHARF_RETURN_IF_ERROR(CheckEventLog(description));
  DropUnkept(description);
  std::optional<Rule> rule;
  if (kind == EntityKind::kSubscription) {
    Result<Rule> checked =
        topics_.CheckFirstRule(description.name, std::move(first_rule), turn.now);
    if (!checked.ok()) return checked.status();
    rule = *std::move(checked);
  }
  Result<Queue*> queue =
      context_.catalog.Create(kind, std::move(description), turn.now, turn.changes);
  if (!queue.ok()) return queue;
  Tell(author, kind, (*queue)->description().name, "is made", turn);
  if (kind == EntityKind::kTopic) topics_.AddTopic(**queue);
  if (rule) topics_.AddSubscription(**queue, *std::move(rule), turn.changes);
  NoteTopicUsed(**queue, turn.now);
  context_.touched.Touch({(*queue)->id(), LaneKind::kMain});
  registrations_.TellChanged(**queue, turn);
  TellRulesChanged(**queue, turn);
  return queue;
}

Status Entities::CheckEventLog(const QueueDescription& description) const {
  const bool has_none = description.event_log_size_in_kilobytes == 0;
  return has_none || !check_event_logs_ ? Status() : check_event_logs_();
}

void Entities::DropUnkept(QueueDescription& description) const {
  if (keeps_unknown_elements_ && !keeps_unknown_elements_()) description.unknown_elements.clear();
}

// The topic may take messages now that it did not take before.
void Entities::TellRulesChanged(const Queue& subscription, Turn& turn) {
  Queue* topic = context_.catalog.TopicOf(subscription);
  if (topic != nullptr && !topic->is_fenced()) registrations_.TellChanged(*topic, turn);
}

// What is done to a subscription keeps its topic from being idle (ADI-4).
void Entities::NoteTopicUsed(const Queue& subscription, Timestamp now) {
  Queue* topic = context_.catalog.TopicOf(subscription);
  const bool is_used = topic != nullptr && !topic->is_fenced();
  if (is_used) context_.touched.NoteUse(*topic, topic->lane(LaneKind::kMain).id(), now);
}

Result<Queue*> Entities::Update(EntityKind kind, std::string_view path, EntityEdit edit,
                                const Author& author, Turn& turn) {
  WHARF_RETURN_IF_ERROR(context_.open.Check());
  Result<Queue*> found = context_.catalog.Find(kind, path);
  if (!found.ok()) return found;
  if ((*found)->is_fenced()) return (*found)->CheckFence();
  Result<QueueDescription> edited = std::move(edit)((*found)->record());
  if (!edited.ok()) return edited.status();
  WHARF_RETURN_IF_ERROR(CheckEventLog(*edited));
  DropUnkept(*edited);
  // Another name would be another entity.
  WHARF_RETURN_IF_ERROR(CheckUpdate(kind, (*found)->description(), *edited));
  return Replace(kind, *std::move(edited), author, turn);
}

Result<Queue*> Entities::Replace(EntityKind kind, QueueDescription description,
                                 const Author& author, Turn& turn) {
  Result<Queue*> queue =
      context_.catalog.Update(kind, std::move(description), turn.now, turn.changes);
  if (!queue.ok()) return queue;
  Tell(author, kind, (*queue)->description().name, "is changed", turn);
  const EntityId id = (*queue)->id();
  for (const LaneKind lane : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    context_.touched.Touch({id, lane});
  }
  NoteTopicUsed(**queue, turn.now);
  registrations_.TellChanged(**queue, turn);
  return queue;
}

Status Entities::Delete(EntityKind kind, std::string_view name, EntityCheck check,
                        const Author& author, Turn& turn) {
  WHARF_RETURN_IF_ERROR(context_.open.Check());
  if (Result<Queue*> queue = context_.catalog.Find(kind, name); queue.ok()) {
    if (check) WHARF_RETURN_IF_ERROR(std::move(check)((*queue)->record()));
    NoteTopicUsed(**queue, turn.now);
  }
  return Remove(kind, name, "is deleted", author, turn);
}

Status Entities::EraseEntity(EntityKind kind, std::string_view name, Turn& turn) {
  return Remove(kind, name, "is deleted: it was not used for as long as its auto_delete_on_idle",
                Author(), turn);
}

void Entities::Tell(const Author& author, EntityKind kind, const std::string& name,
                    std::string_view done, Turn& turn) {
  audit_.Note(author, name, fmt::format("the {} '{}' {}", NameOf(kind), name, done), turn);
}

void Entities::TellRule(const Author& author, const Queue& subscription, std::string_view rule,
                        std::string_view done, Turn& turn) {
  const std::string& path = subscription.description().name;
  audit_.Note(author, path, fmt::format("the rule {} of {} {}", Quoted(rule), Quoted(path), done),
              turn);
}

Status Entities::Remove(EntityKind kind, std::string_view name, std::string_view how,
                        const Author& author, Turn& turn) {
  const std::vector<Leaving> leaving = LeavingWith(kind, name);
  const Result<std::vector<EntityId>> deleted = context_.catalog.Delete(kind, name, turn.changes);
  if (!deleted.ok()) return deleted.status();
  Tell(author, kind, std::string(name), how, turn);
  const Status reason(ErrorCode::kMessagingEntityNotFound,
                      fmt::format("the entity {} was deleted", Quoted(name)));
  topics_.Forget(*deleted);
  for (const Leaving& each : leaving) End(each, reason, turn);
  for (const Leaving& each : leaving) {
    if (each.is_fenced) turn.changes.push_back(EntityUnfenced{each.id});
  }
  return {};
}

// A topic goes with its subscriptions, and behind them.
std::vector<Entities::Leaving> Entities::LeavingWith(EntityKind kind, std::string_view name) const {
  std::vector<Leaving> leaving;
  const Result<Queue*> found = context_.catalog.Find(kind, name);
  if (!found.ok()) return leaving;
  const auto note = [&leaving](const Queue& queue) {
    leaving.push_back({queue.id(), queue.is_fenced(), queue.remains()});
  };
  if (kind == EntityKind::kTopic) {
    const std::string topic = FoldPath(name);
    for (const Queue* each : context_.catalog.ListSubscriptions(topic, {}, kAll)) note(*each);
  }
  note(**found);
  return leaving;
}

Result<RuleDescription> Entities::AddRule(std::string_view path, RuleDescription rule,
                                          const Author& author, Turn& turn) {
  const Result<EntityFinder::Target> target = finder_.ResolveEntity(path);
  if (!target.ok()) return target.status();
  context_.touched.Touch(target->lane);
  NoteTopicUsed(*target->queue, turn.now);
  Result<RuleDescription> added =
      topics_.AddRule(*target->queue, std::move(rule), turn.now, turn.changes);
  if (!added.ok()) return added;
  TellRulesChanged(*target->queue, turn);
  TellRule(author, *target->queue, added->name, "is made", turn);
  return added;
}

Result<RuleDescription> Entities::UpdateRule(std::string_view path, std::string_view name,
                                             RuleEdit edit, const Author& author, Turn& turn) {
  const Result<EntityFinder::Target> target = finder_.ResolveEntity(path);
  if (!target.ok()) return target.status();
  Queue& subscription = *target->queue;
  const Rule* rule = FindRule(subscription, name);
  Result<RuleDescription> edited = RuleDescription();
  if (rule != nullptr) edited = std::move(edit)(rule->description);
  if (!edited.ok()) return edited;
  context_.touched.Touch(target->lane);
  NoteTopicUsed(subscription, turn.now);
  Result<RuleDescription> replaced =
      topics_.ReplaceRule(subscription, name, *std::move(edited), turn.now, turn.changes);
  if (!replaced.ok()) return replaced;
  TellRulesChanged(subscription, turn);
  TellRule(author, subscription, replaced->name, "is changed", turn);
  return replaced;
}

const Rule* Entities::FindRule(const Queue& subscription, std::string_view name) const {
  const Topic* topic = topics_.TopicOf(subscription);
  return topic == nullptr ? nullptr : topic->rules().Find(subscription.id(), name);
}

Status Entities::RemoveRule(std::string_view path, std::string_view name, RuleCheck check,
                            const Author& author, Turn& turn) {
  const Result<EntityFinder::Target> target = finder_.ResolveEntity(path);
  if (!target.ok()) return target.status();
  const Rule* rule = FindRule(*target->queue, name);
  if (rule != nullptr && check) WHARF_RETURN_IF_ERROR(std::move(check)(rule->description));
  context_.touched.Touch(target->lane);
  NoteTopicUsed(*target->queue, turn.now);
  WHARF_RETURN_IF_ERROR(topics_.RemoveRule(*target->queue, name, turn.now, turn.changes));
  TellRule(author, *target->queue, name, "is removed", turn);
  return {};
}

// Its rows come last: what those who hear of it change is among them.
void Entities::End(const Leaving& entity, const Status& reason, Turn& turn) {
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    context_.touched.Touch({entity.id, kind});
  }
  registrations_.TellDeleted(entity.id, reason, turn);
  reclaimer_.ReclaimEntity(entity.id, entity.remains, turn);
}

Result<std::int64_t> Entities::Purge(const EntityFinder::Target& target, bool with_scheduled,
                                     const Author& author, Turn& turn) {
  const LaneKind kind = target.lane.kind;
  if (with_scheduled && kind == LaneKind::kDeadLetter) {
    return Status(ErrorCode::kInvalidOperation, "a dead-letter queue has no scheduled messages");
  }
  const Shelf shelf = target.queue->lane(kind).shelf();
  const Remains remains = target.queue->lane(kind).remains();
  const Result<std::uint8_t> generation = reclaimer_.NextGeneration(shelf);
  if (!generation.ok()) return generation.status();
  const std::int64_t purged =
      target.queue->Purge(kind, *generation, with_scheduled, turn.now, turn.changes);
  Tell(author, target.queue->kind(), target.queue->description().name,
       kind == LaneKind::kMain ? "is purged" : "has its dead-letter queue purged", turn);
  context_.touched.Touch(target.lane);
  context_.touched.Touch({target.lane.entity, LaneKind::kMain});
  reclaimer_.ReclaimShelf(shelf, remains, turn);
  if (with_scheduled) reclaimer_.ReclaimScheduled(target.lane.entity, turn);
  return purged;
}

}  // namespace wharf

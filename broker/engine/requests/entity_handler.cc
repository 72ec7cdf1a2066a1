#include "broker/engine/requests/entity_handler.h"

#include <algorithm>
#include <utility>

#include "broker/core/queue/gates.h"
#include "broker/engine/requests/reply.h"

namespace wharf {

QueueSnapshot EntityHandler::SnapshotOf(const Queue& queue, bool shows_access_rules) const {
  const Topic* topic = topics_.Find(queue.id());
  return {
      .record = queue.record(),
      .main = queue.counters(LaneKind::kMain),
      .dead_letter = queue.counters(LaneKind::kDeadLetter),
      .subscriptions = topic == nullptr ? 0 : topic->subscriptions().size(),
      .bytes = queue.bytes(),
      .fence = queue.fence(),
      .access_rules = shows_access_rules ? access_rules_.Of(queue) : std::vector<AccessRuleInfo>()};
}

Result<QueueSnapshot> EntityHandler::SnapshotOf(const Result<Queue*>& queue,
                                                bool shows_access_rules) const {
  if (!queue.ok()) return queue.status();
  return SnapshotOf(**queue, shows_access_rules);
}

Result<Queue*> EntityHandler::Find(std::optional<EntityKind> kind, const std::string& name) const {
  WHARF_RETURN_IF_ERROR(context_.open.Check());
  return kind ? context_.catalog.Find(*kind, name) : context_.catalog.Find(name);
}

QueuePage EntityHandler::PageOf(const std::vector<const Queue*>& queues, std::size_t count_max,
                                bool shows_access_rules) const {
  QueuePage page;
  page.has_more = queues.size() > count_max;
  for (std::size_t i = 0; i < std::min(queues.size(), count_max); ++i) {
    page.queues.push_back(SnapshotOf(*queues[i], shows_access_rules));
  }
  return page;
}

Result<Queue*> EntityHandler::Create(Asked<CreateEntityRequest>& asked, Turn& turn) {
  CreateEntityRequest& request = asked.request;
  WHARF_RETURN_IF_ERROR(AccessRules::CheckGiven(request.kind, request.access_rules));
  const auto author = AuditLog::AuthorOf(asked.caller);
  Result<Queue*> queue = entities_.Create(request.kind, std::move(request.description),
                                          std::move(request.first_rule), author, turn);
  if (queue.ok() && !request.access_rules.empty()) {
    access_rules_.SetAll((*queue)->description().name, std::move(request.access_rules), author,
                         turn);
  }
  return queue;
}

Result<Queue*> EntityHandler::Update(Asked<UpdateEntityRequest>& asked, Turn& turn) {
  UpdateEntityRequest& request = asked.request;
  if (request.access_rules) {
    WHARF_RETURN_IF_ERROR(access_rules_.CheckGiven(request.name, *request.access_rules));
  }
  const auto author = AuditLog::AuthorOf(asked.caller);
  Result<Queue*> queue =
      entities_.Update(request.kind, request.name, std::move(request.edit), author, turn);
  if (queue.ok() && request.access_rules) {
    access_rules_.SetAll(request.name, *std::move(request.access_rules), author, turn);
  }
  return queue;
}

void EntityHandler::Plan(Asked<CreateEntityRequest> asked, Turn& turn) {
  const Result<Queue*> queue = Create(asked, turn);
  Reply(turn, std::move(asked.answer), SnapshotOf(queue, asked.request.shows_access_rules));
}

void EntityHandler::Plan(Asked<UpdateEntityRequest> asked, Turn& turn) {
  const Result<Queue*> queue = Update(asked, turn);
  Reply(turn, std::move(asked.answer), SnapshotOf(queue, asked.request.shows_access_rules));
}

void EntityHandler::Plan(Asked<GetEntityRequest> asked, Turn& turn) {
  Reply(turn, std::move(asked.answer),
        SnapshotOf(Find(asked.request.kind, asked.request.name), asked.request.shows_access_rules));
}

void EntityHandler::Plan(Asked<DeleteEntityRequest> asked, Turn& turn) {
  const Result<Queue*> queue = Find(asked.request.kind, asked.request.name);
  if (!queue.ok()) return Reply(turn, std::move(asked.answer), Done(queue.status()));
  Reply(turn, std::move(asked.answer),
        Done(entities_.Delete((*queue)->kind(), asked.request.name, std::move(asked.request.check),
                              AuditLog::AuthorOf(asked.caller), turn)));
}

void EntityHandler::Plan(Asked<GetNamespaceRequest> asked, Turn& turn) {
  const auto& rules = access_rules_.book().RulesOf("");
  NamespaceInfo info;
  if (!rules.empty()) {
    info.created_at =
        std::min_element(rules.begin(), rules.end(), [](const auto& a, const auto& b) {
          return a.created_at() < b.created_at();
        })->created_at();
  }
  Reply(turn, std::move(asked.answer), Result<NamespaceInfo>(info));
}

void EntityHandler::Plan(Asked<ListEntitiesRequest> asked, Turn& turn) {
  const ListEntitiesRequest& request = asked.request;
  const auto queues =
      context_.catalog.List(request.kind, request.after, request.count_max + 1, request.skip);
  Reply(turn, std::move(asked.answer),
        Result<QueuePage>(PageOf(queues, request.count_max, request.shows_access_rules)));
}

void EntityHandler::Plan(Asked<ListSubscriptionsRequest> asked, Turn& turn) {
  const ListSubscriptionsRequest& request = asked.request;
  const Catalog& catalog = context_.catalog;
  const Result<Queue*> topic = catalog.Find(EntityKind::kTopic, request.topic);
  if (!topic.ok()) return Reply(turn, std::move(asked.answer), Result<QueuePage>(topic.status()));
  const auto queues = catalog.ListSubscriptions(FoldPath(request.topic), request.after,
                                                request.count_max + 1, request.skip);
  Reply(turn, std::move(asked.answer), Result<QueuePage>(PageOf(queues, request.count_max)));
}

void EntityHandler::Plan(Asked<PurgeRequest> asked, Turn& turn) {
  const Result<EntityFinder::Target> target = finder_.Resolve(asked.request.entity);
  Reply(turn, std::move(asked.answer),
        target.ok() ? entities_.Purge(*target, asked.request.with_scheduled,
                                      AuditLog::AuthorOf(asked.caller), turn)
                    : Result<std::int64_t>(target.status()));
}

void EntityHandler::Plan(Asked<AwaitClosedRequest> asked, ClosedWaits::Id& id, Turn& turn) {
  const Result<EntityFinder::Target> target = finder_.ResolveSend(asked.request.entity);
  const Status takes = target.ok() ? CheckSend(target->queue->record()) : target.status();
  if (!takes.ok()) return Reply(turn, std::move(asked.answer), Result<std::monostate>(takes));
  id = closed_waits_.Add(target->queue->id(), std::move(asked.answer));
}

}  // namespace wharf

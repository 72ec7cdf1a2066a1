#include "broker/engine/requests/entity_handler.h"

#include <algorithm>
#include <utility>

#include "broker/engine/requests/reply.h"

namespace wharf {

QueueSnapshot EntityHandler::SnapshotOf(const Queue& queue) const {
  const Topic* topic = topics_.Find(queue.record().id);
  return {queue.record(),
          queue.lane(LaneKind::kMain).counters(),
          queue.lane(LaneKind::kDeadLetter).counters(),
          topic == nullptr ? 0 : topic->subscriptions().size(),
          queue.quota().bytes(),
          queue.fence()};
}

Result<QueueSnapshot> EntityHandler::SnapshotOf(const Result<Queue*>& queue) const {
  if (!queue.ok()) return queue.status();
  return SnapshotOf(**queue);
}

QueuePage EntityHandler::PageOf(const std::vector<const Queue*>& queues,
                                std::size_t count_max) const {
  QueuePage page;
  page.has_more = queues.size() > count_max;
  for (std::size_t i = 0; i < std::min(queues.size(), count_max); ++i) {
    page.queues.push_back(SnapshotOf(*queues[i]));
  }
  return page;
}

void EntityHandler::Plan(Asked<CreateEntityRequest> asked, Turn& turn) {
  CreateEntityRequest& request = asked.request;
  const Result<Queue*> queue =
      entities_.Create(request.kind, std::move(request.description), std::move(request.first_rule),
                       AuditLog::AuthorOf(asked.caller), turn);
  Reply(turn, std::move(asked.answer), SnapshotOf(queue));
}

void EntityHandler::Plan(Asked<UpdateEntityRequest> asked, Turn& turn) {
  UpdateEntityRequest& request = asked.request;
  const Result<Queue*> queue = entities_.Update(request.kind, request.name, std::move(request.edit),
                                                AuditLog::AuthorOf(asked.caller), turn);
  Reply(turn, std::move(asked.answer), SnapshotOf(queue));
}

void EntityHandler::Plan(Asked<GetEntityRequest> asked, Turn& turn) {
  const Status closed = context_.open.Check();
  Reply(turn, std::move(asked.answer),
        SnapshotOf(closed.ok() ? context_.catalog.Find(asked.request.kind, asked.request.name)
                               : Result<Queue*>(closed)));
}

void EntityHandler::Plan(Asked<DeleteEntityRequest> asked, Turn& turn) {
  Reply(turn, std::move(asked.answer),
        Done(entities_.Delete(asked.request.kind, asked.request.name,
                              AuditLog::AuthorOf(asked.caller), turn)));
}

void EntityHandler::Plan(Asked<ListEntitiesRequest> asked, Turn& turn) {
  const ListEntitiesRequest& request = asked.request;
  const auto queues = context_.catalog.List(request.kind, request.after, request.count_max + 1);
  Reply(turn, std::move(asked.answer), Result<QueuePage>(PageOf(queues, request.count_max)));
}

void EntityHandler::Plan(Asked<ListSubscriptionsRequest> asked, Turn& turn) {
  const ListSubscriptionsRequest& request = asked.request;
  const Catalog& catalog = context_.catalog;
  const Result<Queue*> topic = catalog.Find(EntityKind::kTopic, request.topic);
  if (!topic.ok()) return Reply(turn, std::move(asked.answer), Result<QueuePage>(topic.status()));
  const auto queues =
      catalog.ListSubscriptions(FoldPath(request.topic), request.after, request.count_max + 1);
  Reply(turn, std::move(asked.answer), Result<QueuePage>(PageOf(queues, request.count_max)));
}

void EntityHandler::Plan(Asked<PurgeRequest> asked, Turn& turn) {
  const Result<EntityFinder::Target> target = finder_.Resolve(asked.request.entity);
  Reply(turn, std::move(asked.answer),
        target.ok() ? entities_.Purge(*target, asked.request.with_scheduled,
                                      AuditLog::AuthorOf(asked.caller), turn)
                    : Result<std::int64_t>(target.status()));
}

}  // namespace wharf

// Entities: what creating, changing, deleting and purging an entity takes.
//
// The catalog and the topics keep what there is; workers that must hear of it are registered. Owned
// by the Shard, used on its thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/engine/background/reclaimer.h"
#include "broker/engine/entities/audit_log.h"
#include "broker/engine/entities/entity_eraser.h"
#include "broker/engine/entities/entity_finder.h"
#include "broker/engine/turn/registrations.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/requests/entity_requests.h"
#include "broker/requests/rule_requests.h"
#include "broker/topics/topics.h"

namespace wharf {

class Entities final : public EntityEraser {
 public:
  Entities(const WorkerContext& context, const EntityFinder& finder, Topics& topics,
           Reclaimer& reclaimer, Registrations& registrations, AuditLog& audit,
           std::function<Status()> check_event_logs, std::function<bool()> keeps_unknown_elements)
      : context_(context),
        finder_(finder),
        topics_(topics),
        reclaimer_(reclaimer),
        registrations_(registrations),
        audit_(audit),
        check_event_logs_(std::move(check_event_logs)),
        keeps_unknown_elements_(std::move(keeps_unknown_elements)) {}

  // Who changes something is told the log.
  using Author = AuditLog::Author;

  // A subscription begins with `first_rule`, or with one that lets everything through (RUL-1).
  Result<Queue*> Create(EntityKind kind, QueueDescription description,
                        std::optional<RuleDescription> first_rule, const Author& author,
                        Turn& turn);
  // One that can no longer be received from ends its receivers (STS-8, RCV-5).
  Result<Queue*> Update(EntityKind kind, std::string_view path, EntityEdit edit,
                        const Author& author, Turn& turn);
  Status Delete(EntityKind kind, std::string_view name, EntityCheck check, const Author& author,
                Turn& turn);
  Status EraseEntity(EntityKind kind, std::string_view name, Turn& turn) override;
  // Of the subscription at a path.
  Result<RuleDescription> AddRule(std::string_view path, RuleDescription rule, const Author& author,
                                  Turn& turn);
  Result<RuleDescription> UpdateRule(std::string_view path, std::string_view name, RuleEdit edit,
                                     const Author& author, Turn& turn);
  Status RemoveRule(std::string_view path, std::string_view name, RuleCheck check,
                    const Author& author, Turn& turn);
  // Drops what stands in a lane; its rows are reclaimed with it, or later.
  Result<std::int64_t> Purge(const EntityFinder::Target& target, bool with_scheduled,
                             const Author& author, Turn& turn);

 private:
  // Null: it has none of that name.
  const Rule* FindRule(const Queue& subscription, std::string_view name) const;
  // `how` is what the log says of it.
  Status Remove(EntityKind kind, std::string_view name, std::string_view how, const Author& author,
                Turn& turn);
  Result<Queue*> Replace(EntityKind kind, QueueDescription description, const Author& author,
                         Turn& turn);
  // `done`: "is made".
  void Tell(const Author& author, EntityKind kind, const std::string& name, std::string_view done,
            Turn& turn);
  void TellRule(const Author& author, const Queue& subscription, std::string_view rule,
                std::string_view done, Turn& turn);
  // What is deleted with an entity, as it is before.
  struct Leaving {
    EntityId id;
    bool is_fenced = false;
    Remains remains;
  };
  std::vector<Leaving> LeavingWith(EntityKind kind, std::string_view name) const;
  void End(const Leaving& entity, const Status& reason, Turn& turn);
  // Whether all that may have to read it can read what an entity with an event log leaves.
  Status CheckEventLog(const QueueDescription& description) const;
  // Whoever brings unknown elements where they are not kept yet is served without.
  void DropUnkept(QueueDescription& description) const;
  void NoteTopicUsed(const Queue& subscription, Timestamp now);
  void TellRulesChanged(const Queue& subscription, Turn& turn);

  const WorkerContext context_;
  const EntityFinder& finder_;
  Topics& topics_;
  Reclaimer& reclaimer_;
  Registrations& registrations_;
  AuditLog& audit_;
  const std::function<Status()> check_event_logs_;
  const std::function<bool()> keeps_unknown_elements_;
};

}  // namespace wharf

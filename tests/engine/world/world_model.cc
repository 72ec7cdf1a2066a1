#include "tests/engine/world/world_model.h"

#include <algorithm>
#include <chrono>

#include "tests/engine/world/world_rules.h"

namespace wharf {
namespace {

constexpr Duration kTransactionTimeMax = std::chrono::minutes(2);
// The clock may go back that far in a crash, and an outcome be known again.
constexpr Duration kForgottenForGood = std::chrono::hours(1);
constexpr Timestamp kSomeDay = kNever - Duration(1);

}  // namespace

// TXN-10, TXX-1.
void WorldModel::SetTime(Timestamp now) {
  now_ = now;
  for (auto& [id, transaction] : transactions_) {
    const bool is_over =
        !transaction.is_committing && transaction.since + kTransactionTimeMax <= now;
    if (transaction.state != TransactionState::kOpen || !is_over) continue;
    RollBack(transaction);
    transaction.may_end_later = true;
  }
  std::erase_if(transactions_, [now](const auto& entry) {
    return entry.second.state != TransactionState::kOpen &&
           entry.second.since + kForgottenForGood <= now;
  });
}

std::vector<WorldModel> WorldModel::WithCommitsBegun() const {
  std::vector<WorldModel> worlds{*this};
  for (const auto& [id, transaction] : transactions_) {
    const bool is_to_begin = transaction.state == TransactionState::kOpen &&
                             transaction.is_to_commit && !transaction.is_committing;
    if (!is_to_begin) continue;
    for (std::size_t i = worlds.size(); i > 0; --i) {
      worlds.push_back(worlds[i - 1]);
      worlds.back().transactions_.at(id).is_committing = true;
    }
  }
  return worlds;
}

std::vector<WorldModel> WorldModel::WithLateEnds() const {
  std::vector<WorldModel> worlds{*this};
  for (const auto& [id, transaction] : transactions_) {
    if (!transaction.may_end_later || transaction.since == now_) continue;
    for (std::size_t i = worlds.size(); i > 0; --i) {
      worlds.push_back(worlds[i - 1]);
      worlds.back().transactions_.at(id).since = now_;
    }
  }
  return worlds;
}

void WorldModel::NoteEnds() {
  for (auto& [id, transaction] : transactions_) transaction.may_end_later = false;
}

void WorldModel::Restart() {
  for (const auto& [name, entity] : entities_) {
    const QueueDescription& description = entity.queue->description();
    if (description.enable_partitioning || description.enable_priority) Edit(name)->Restart();
  }
  for (auto& [id, transaction] : transactions_) {
    if (transaction.state == TransactionState::kOpen) RollBack(transaction);
  }
}

const ModelQueue* WorldModel::Find(const std::string& name) const {
  const auto found = entities_.find(name);
  return found == entities_.end() ? nullptr : found->second.queue.get();
}

// Other worlds keep the queue as it is.
ModelQueue* WorldModel::Edit(const std::string& name) {
  const auto found = entities_.find(name);
  if (found == entities_.end()) return nullptr;
  auto edited = std::make_shared<ModelQueue>(*found->second.queue);
  ModelQueue* const queue = edited.get();
  found->second.queue = std::move(edited);
  return queue;
}

bool WorldModel::CanSend(const std::string& name) const {
  const ModelQueue* queue = Find(name);
  return queue != nullptr && queue->description().can_send();
}

// FWD-2.
bool WorldModel::HasTargets(const QueueDescription& description) const {
  const auto has = [this](const std::optional<std::string>& target) {
    return !target || Find(*target) != nullptr;
  };
  return has(description.forward_to) && has(description.forward_dead_lettered_messages_to);
}

bool WorldModel::Create(EntityKind kind, const QueueDescription& description) {
  const std::string& name = description.name;
  const bool is_subscription = kind == EntityKind::kSubscription;
  const bool has_topic = Find(name.substr(0, name.find('/'))) != nullptr;
  if (Find(name) != nullptr || (is_subscription && !has_topic)) return false;
  if (!HasTargets(description)) return false;
  ModelEntity entity{kind, std::make_shared<ModelQueue>(description)};
  if (is_subscription) entity.rules.insert(kDefaultRule);
  return entities_.emplace(name, std::move(entity)).second;
}

// EPR-31.
bool WorldModel::Update(const QueueDescription& description) {
  ModelQueue* queue = Edit(description.name);
  if (queue == nullptr || !HasTargets(description)) return false;
  const QueueDescription& before = queue->description();
  const bool is_same =
      before.requires_duplicate_detection == description.requires_duplicate_detection &&
      before.enable_partitioning == description.enable_partitioning &&
      before.enable_priority == description.enable_priority;
  if (is_same) queue->Update(description, now_);
  return is_same;
}

// With a topic its subscriptions go; a job that reads from there ends.
bool WorldModel::Delete(const std::string& name) {
  const bool was_there = entities_.erase(name) > 0;
  std::erase_if(entities_, [&](const auto& entry) {
    return entry.first.starts_with(name + "/Subscriptions/");
  });
  for (ModelJob& job : jobs_) {
    if (Find(job.lane.entity) == nullptr) job.is_running = false;
  }
  return was_there;
}

std::optional<WorldModel::Sent> WorldModel::Send(const std::string& name,
                                                 const std::vector<Message>& messages,
                                                 bool atomic) {
  if (!CanSend(name) || entities_.at(name).kind == EntityKind::kSubscription) return std::nullopt;
  ModelQueue& queue = *Edit(name);
  Sent sent;
  for (const Message& message : messages) {
    sent.push_back(queue.Send(message, now_));
    if (!atomic) queue.PassTurn();
  }
  if (atomic) queue.PassTurn();
  Publish(name);
  return sent;
}

bool WorldModel::CanReceive(const ModelPath& path) const {
  const ModelQueue* queue = Find(path.entity);
  return queue != nullptr && entities_.at(path.entity).kind != EntityKind::kTopic &&
         queue->description().can_receive() && !TargetOf(*queue, path.lane);
}

std::size_t WorldModel::CountAvailable(const ModelPath& path) const {
  return CanReceive(path) ? Find(path.entity)->CountAvailable(path.lane) : 0;
}

bool WorldModel::Deliver(const ModelPath& path, std::uint64_t number,
                         const std::optional<LockToken>& token) {
  if (!CanReceive(path)) return false;
  const auto allowed = Find(path.entity)->AllowedNext(path.lane);
  if (std::find(allowed.begin(), allowed.end(), number) == allowed.end()) return false;
  ModelQueue& queue = *Edit(path.entity);
  // TTL-6.
  if (queue.Find(path.lane, number)->expires_at <= now_) return false;
  queue.NoteDelivery(path.lane, number);
  if (token) {
    queue.Lock(path.lane, number, *token, now_ + queue.description().lock_duration);
  } else {
    queue.Remove(path.lane, number);
  }
  return true;
}

bool WorldModel::Settle(const ModelPath& path, const LockToken& token,
                        const Settlement& settlement) {
  return !IsReserved(path, token) && SettleFree(path, token, settlement);
}

bool WorldModel::SettleFree(const ModelPath& path, const LockToken& token,
                            const Settlement& settlement) {
  ModelQueue* queue = Edit(path.entity);
  return queue != nullptr && queue->Settle(path.lane, token, settlement, now_);
}

bool WorldModel::Renew(const ModelPath& path, const LockToken& token) {
  ModelQueue* queue = Edit(path.entity);
  return queue != nullptr && queue->Renew(path.lane, token, now_);
}

bool WorldModel::ReceiveDeferred(const ModelPath& path, std::uint64_t number,
                                 const LockToken& token) {
  if (!CanReceive(path)) return false;
  ModelQueue& queue = *Edit(path.entity);
  if (!queue.TakeDeferred(path.lane, {number}, now_)) return false;
  queue.Lock(path.lane, number, token, now_ + queue.description().lock_duration);
  return true;
}

bool WorldModel::Undefer(const ModelPath& path, std::uint64_t number) {
  ModelQueue* queue = Edit(path.entity);
  return queue != nullptr && queue->Undefer(path.lane, {number}, now_);
}

std::optional<std::int64_t> WorldModel::Purge(const ModelPath& path, bool with_scheduled) {
  ModelQueue* queue = Edit(path.entity);
  if (queue == nullptr) return std::nullopt;
  return queue->Purge(path.lane, with_scheduled);
}

bool WorldModel::CancelScheduled(const std::string& name, std::uint64_t number) {
  ModelQueue* queue = Edit(name);
  return queue != nullptr && queue->CancelScheduled({number});
}

bool WorldModel::Reschedule(const std::string& name, std::uint64_t number, Timestamp time) {
  ModelQueue* queue = Edit(name);
  if (queue == nullptr || !queue->Reschedule({number}, time, now_)) return false;
  Publish(name);
  return true;
}

bool WorldModel::Activate(const std::string& name, std::uint64_t number) {
  ModelQueue* queue = Edit(name);
  if (queue == nullptr || !queue->Activate({number}, now_)) return false;
  Publish(name);
  return true;
}

std::vector<ModelStep> WorldModel::Steps() const {
  std::vector<ModelStep> steps;
  for (const auto& [name, entity] : entities_) {
    for (const ModelDue& due : entity.queue->Due(now_)) {
      steps.push_back({.what = ModelStep::What::kDue, .lane = {name, due.lane}, .due = due});
    }
    for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
      const ModelPath lane{name, kind};
      const auto number = NextToForward(lane);
      if (number) {
        steps.push_back({.what = ModelStep::What::kForward, .lane = lane, .number = *number});
      }
    }
  }
  for (std::size_t place = 0; place < jobs_.size(); ++place) {
    if (jobs_[place].is_running) steps.push_back({.what = ModelStep::What::kJob, .job = place});
  }
  return steps;
}

std::vector<WorldModel> WorldModel::After(const ModelStep& step) const {
  if (step.what == ModelStep::What::kJob) return AfterJob(step.job);
  WorldModel after = *this;
  if (step.what == ModelStep::What::kDue) {
    after.Do(step.lane, step.due);
    if (Find(step.lane.entity)->MayRest(step.due)) {
      WorldModel resting = *this;
      resting.Edit(step.lane.entity)->LetRest(step.due);
      return {std::move(after), std::move(resting)};
    }
  } else {
    after.Forward(step.lane, step.number);
  }
  return {std::move(after)};
}

void WorldModel::Do(const ModelPath& lane, const ModelDue& due) {
  Edit(lane.entity)->Do(due, now_);
  Publish(lane.entity);
}

// An entity that sends on, one that a job works on, and what gets a number while messages come from
// elsewhere; or what may be left alone.
bool WorldModel::IsEntangled(const std::string& name, const ModelDue& due) const {
  const ModelEntity& entity = entities_.at(name);
  if (entity.queue->MayRest(due)) return true;
  const QueueDescription& description = entity.queue->description();
  if (description.forward_to || description.forward_dead_lettered_messages_to) return true;
  if (entity.kind == EntityKind::kTopic) return true;
  const bool has_job = std::any_of(jobs_.begin(), jobs_.end(), [&](const ModelJob& job) {
    return job.is_running && (job.lane.entity == name || job.order.target == name);
  });
  const bool is_target = std::any_of(entities_.begin(), entities_.end(), [&](const auto& entry) {
    const QueueDescription& other = entry.second.queue->description();
    return other.forward_to == name || other.forward_dead_lettered_messages_to == name;
  });
  return has_job || (is_target && due.what == ModelDue::What::kActivate);
}

void WorldModel::PassTimeAlone() {
  for (const auto& [name, entity] : entities_) {
    for (const ModelDue& due : Find(name)->Due(now_)) {
      if (!IsEntangled(name, due)) Do({name, due.lane}, due);
    }
  }
}

Timestamp WorldModel::NextDueTime() const {
  Timestamp next = kNever;
  for (const auto& [name, entity] : entities_) {
    for (const ModelDue& due : entity.queue->Due(kSomeDay)) next = std::min(next, due.time);
  }
  return next;
}

std::size_t WorldModel::CountDue(Timestamp then) const {
  std::size_t count = 0;
  for (const auto& [name, entity] : entities_) count += entity.queue->Due(then).size();
  return count;
}

void WorldModel::AddReach(const std::string& name, std::set<std::string>& reach) const {
  const auto found = entities_.find(name);
  if (!reach.insert(name).second || found == entities_.end()) return;
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    const auto& target = TargetOf(*found->second.queue, kind);
    if (target) AddReach(*target, reach);
  }
  if (found->second.kind != EntityKind::kTopic) return;
  for (const auto& [other, entity] : entities_) {
    if (other.starts_with(name + "/")) AddReach(other, reach);
  }
}

std::set<std::string> WorldModel::ReachOf(const ModelStep& step) const {
  std::set<std::string> reach;
  if (step.what == ModelStep::What::kJob) {
    AddReach(jobs_[step.job].lane.entity, reach);
    AddReach(jobs_[step.job].order.target, reach);
  } else {
    AddReach(step.lane.entity, reach);
  }
  return reach;
}

std::vector<ModelStep> WorldModel::StepsToward(std::set<std::string> names) const {
  std::vector<ModelStep> toward;
  std::vector<ModelStep> others = Steps();
  const auto meets = [&](const ModelStep& step) {
    const std::set<std::string> reach = ReachOf(step);
    return std::any_of(reach.begin(), reach.end(),
                       [&](const std::string& name) { return names.contains(name); });
  };
  for (auto next = std::find_if(others.begin(), others.end(), meets); next != others.end();
       next = std::find_if(others.begin(), others.end(), meets)) {
    names.merge(ReachOf(*next));
    toward.push_back(*next);
    others.erase(next);
  }
  return toward;
}

}  // namespace wharf

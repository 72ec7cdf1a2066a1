// Redrives and deletions: RDR-1..3, PRG-2, JOB-1.

#include "tests/engine/world/world_model.h"

namespace wharf {

bool WorldModel::BeginJob(const JobOrder& order, const ModelPath& lane, JobId id) {
  const ModelQueue* source = Find(lane.entity);
  if (source == nullptr || entities_.at(lane.entity).kind == EntityKind::kTopic) return false;
  if (!order.target.empty()) {
    if (Find(order.target) == nullptr) return false;
    const bool is_own = order.target == lane.entity;
    if (!is_own && entities_.at(order.target).kind == EntityKind::kSubscription) return false;
  }
  jobs_.push_back({id, order, lane, now_, source->changed()});
  return true;
}

bool WorldModel::Selects(const ModelJob& job, const ModelMessage& message) {
  const auto& reason = job.order.selection.dead_letter_reason;
  const auto found = message.properties.find("DeadLetterReason");
  const bool has_reason = found != message.properties.end() && found->second == reason;
  return message.enqueued_at <= job.created_at && (!reason || has_reason);
}

// Few messages are one step. One that changed meanwhile may be left to others.
std::vector<WorldModel> WorldModel::AfterJob(std::size_t place) const {
  const ModelJob& job = jobs_[place];
  const ModelQueue& source = *Find(job.lane.entity);
  std::vector<WorldModel> after = {*this};
  for (const auto& [number, message] : source.messages(job.lane.lane)) {
    if (!Selects(job, message) || after.size() > kWorldsMax) continue;
    std::vector<WorldModel> handled = after;
    for (WorldModel& world : handled) world.HandleForJob(place, number);
    if (message.changed > job.changed) {
      after.insert(after.end(), handled.begin(), handled.end());
    } else {
      after = std::move(handled);
    }
  }
  for (WorldModel& world : after) world.jobs_[place].is_running = false;
  return after;
}

// A target that takes nothing leaves the message where it is (RDR-2).
void WorldModel::HandleForJob(std::size_t place, std::uint64_t number) {
  ModelJob& job = jobs_[place];
  ModelQueue& source = *Edit(job.lane.entity);
  const ModelMessage message = *source.Find(job.lane.lane, number);
  if (message.token) return;
  if (job.order.verb == JobVerb::kDeleteMessages) {
    if (message.is_deferred) return;
    if (source.HasLivedOut(job.lane.lane, message, now_)) {
      return source.Do({ModelDue::What::kExpire, LaneKind::kMain, number, now_}, now_);
    }
    source.Remove(job.lane.lane, number);
    ++job.done;
    return;
  }
  const std::string target = job.order.target.empty() ? job.lane.entity : job.order.target;
  if (!CanSend(target)) return;
  ++job.done;
  source.Remove(job.lane.lane, number);
  ModelQueue& entered = *Edit(target);
  entered.Append(ModelQueue::Redriven(message), now_);
  entered.PassTurn();
  Publish(target);
}

}  // namespace wharf

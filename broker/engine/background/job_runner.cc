#include "broker/engine/background/job_runner.h"

#include <algorithm>

#include <fmt/core.h>

#include "broker/core/queue/transfer.h"

namespace wharf {
namespace {

// Messages that one step looks at.
constexpr std::size_t kSelectedPerStep = 256;
constexpr std::size_t kRunningMax = 64;
constexpr std::size_t kKeptMax = 1000;
constexpr std::size_t kNumbersMax = 4500;
constexpr Duration kKeptFor = std::chrono::hours(24);
// A job with a rate does so much at a time, and then pauses for as long as that may take.
constexpr std::int64_t kStepsPerSecond = 10;
// Until a job that stores something looks again whether the disk has room for it.
constexpr Duration kPauseWhenFull = std::chrono::seconds(1);

}  // namespace

JobRunner::JobRunner(const WorkerContext& context, const EntityFinder& finder, const Topics& topics,
                     DiskRoom disk, Random& random, Known known)
    : context_(context),
      finder_(finder),
      topics_(topics),
      disk_(disk),
      random_(random),
      next_id_(known.next_id) {
  for (JobRecord& record : known.jobs) {
    const JobId id = record.id;
    if (!record.is_running()) WakeAt(After(record.finished_at, kKeptFor), id);
    jobs_.emplace(id, Job{std::move(record)});
  }
}

void JobRunner::Start(Turn& turn) {
  for (auto& [id, job] : jobs_) {
    if (job.record.is_running()) Resume(job, turn);
  }
}

void JobRunner::Resume(Job& job, Turn& turn) {
  auto filter = PageCondition::FilterOf(job.record.order.selection.sql_filter);
  if (!filter.ok()) {
    job.record.error = filter.status().message();
    return End(job, JobState::kFailed, turn);
  }
  job.filter = *std::move(filter);
  Step(job.record.id, turn);
}

Status JobRunner::CheckOrder(const JobOrder& order) const {
  // One that was cancelled while a step of it is read counts until that is planned.
  const auto running = std::count_if(jobs_.begin(), jobs_.end(), [](const auto& job) {
    return job.second.record.is_running() || job.second.is_reading;
  });
  if (static_cast<std::size_t>(running) >= kRunningMax || jobs_.size() >= kKeptMax) {
    return {ErrorCode::kQuotaExceeded,
            fmt::format("{} jobs are running and {} are kept, as many as this broker takes",
                        running, jobs_.size())};
  }
  if (order.selection.numbers.size() > kNumbersMax) {
    return {ErrorCode::kArgumentOutOfRange,
            fmt::format("a selection names at most {} sequence numbers", kNumbersMax)};
  }
  if (order.selection.enqueued_from && order.selection.enqueued_before &&
      *order.selection.enqueued_from >= *order.selection.enqueued_before) {
    return {ErrorCode::kArgumentError, "enqueued_from must be before enqueued_before"};
  }
  return {};
}

// Dead letters go back to their own subscription, and to no other: nobody can send to one (ADR-3).
Status JobRunner::CheckTarget(const Queue& source, const std::string& name) const {
  if (name.empty()) return {};
  const Result<EntityFinder::Target> target = finder_.ResolveEntity(name);
  if (!target.ok()) return target.status();
  if (target->queue == &source || target->queue->kind() != EntityKind::kSubscription) return {};
  return {ErrorCode::kInvalidOperation,
          fmt::format("'{}' is a subscription: only its own dead letters can be sent to it; send "
                      "these to its topic",
                      target->queue->description().name)};
}

Result<JobRecord> JobRunner::Begin(JobOrder order, Turn& turn, const Asker& asker) {
  WHARF_RETURN_IF_ERROR(CheckOrder(order));
  auto filter = PageCondition::FilterOf(order.selection.sql_filter);
  if (!filter.ok()) return filter.status();
  const Result<EntityFinder::Target> source = finder_.ResolveHeld(EntityRef{order.path});
  if (!source.ok()) return source.status();
  if (order.verb == JobVerb::kRedrive) {
    if (source->lane.kind != LaneKind::kDeadLetter) {
      return Status(ErrorCode::kInvalidOperation,
                    fmt::format("'{}' is no dead-letter queue", order.path));
    }
    WHARF_RETURN_IF_ERROR(CheckTarget(*source->queue, order.target));
  }
  std::sort(order.selection.numbers.begin(), order.selection.numbers.end());
  JobRecord record{.id = next_id_,
                   .order = std::move(order),
                   .entity = source->lane.entity,
                   .lane = source->lane.kind,
                   .until = source->queue->lane(LaneKind::kMain).end_number(),
                   .created_at = turn.now,
                   .owner = asker.owner};
  next_id_ = next_id_.Next();
  turn.changes.push_back(JobChanged{record, true});
  jobs_.emplace(record.id, Job{.record = record, .filter = *std::move(filter)});
  Step(record.id, turn);
  return record;
}

Result<JobRecord> JobRunner::Get(JobId id, const Asker& asker) const {
  const auto found = jobs_.find(id);
  const bool is_seen = found != jobs_.end() && asker.Sees(found->second.record.owner);
  if (is_seen) return found->second.record;
  return Status(ErrorCode::kMessagingEntityNotFound, fmt::format("there is no job {}", id.value()));
}

std::vector<JobRecord> JobRunner::List(JobId after, std::size_t count_max,
                                       const Asker& asker) const {
  std::vector<JobRecord> page;
  for (auto it = jobs_.upper_bound(after); it != jobs_.end() && page.size() < count_max; ++it) {
    if (asker.Sees(it->second.record.owner)) page.push_back(it->second.record);
  }
  return page;
}

std::vector<JobId> JobRunner::Awaited(LaneId lane, SequenceNumber number,
                                      const Asker& asker) const {
  std::vector<JobId> awaited;
  for (const auto& [id, job] : jobs_) {
    const JobRecord& record = job.record;
    const bool comes_to_it = record.is_running() && record.entity == lane.entity &&
                             record.lane == lane.kind && record.position <= number &&
                             number < record.until;
    if (comes_to_it && asker.Sees(record.owner)) awaited.push_back(id);
  }
  return awaited;
}

Result<JobRecord> JobRunner::Cancel(JobId id, Turn& turn, const Asker& asker) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || !asker.Sees(found->second.record.owner)) return Get(id, asker);
  if (found->second.record.is_running()) {
    End(found->second, JobState::kCancelled, turn);
  }
  return found->second.record;
}

void JobRunner::End(Job& job, JobState state, Turn& turn) {
  job.filter = nullptr;
  JobRecord& record = job.record;
  record.state = state;
  record.finished_at = turn.now;
  WakeAt(After(turn.now, kKeptFor), record.id);
  turn.changes.push_back(JobChanged{record});
}

std::size_t JobRunner::StepMax(const JobRecord& record) const {
  const std::size_t fitting = std::min(FittingOf(record), kSelectedPerStep);
  if (record.order.rate_max == 0) return fitting;
  const auto share = (record.order.rate_max + kStepsPerSecond - 1) / kStepsPerSecond;
  return std::min(fitting, static_cast<std::size_t>(share));
}

std::size_t JobRunner::FittingOf(const JobRecord& record) const {
  const Result<EntityFinder::Target> target = finder_.ResolveEntity(record.order.target);
  if (!target.ok()) return kSelectedPerStep;
  const Turn empty{Timestamp()};
  return empty.RoomFor(topics_.CopiesOf(*target->queue), topics_.StepsOf(*target->queue));
}

// Moving takes room before it gives any back.
bool JobRunner::MustWait(const JobRecord& record) const {
  const bool stores = record.order.verb != JobVerb::kDeleteMessages && !record.order.is_dry_run;
  return stores && !disk_.has_room();
}

// Uses its entity for as long as it runs: one with a rate may take longer than the entity may be
// idle.
void JobRunner::Step(JobId id, Turn& turn) {
  Job& job = jobs_.at(id);
  JobRecord& record = job.record;
  Queue* queue = context_.catalog.Find(record.entity);
  if (queue == nullptr) return EndWithItsEntity(job, turn);
  context_.touched.NoteUse(*queue, {record.entity, record.lane}, turn.now);
  if (MustWait(record)) return WakeAt(After(turn.now, kPauseWhenFull), id);
  job.is_reading = true;
  ScanRange range{queue->lane(record.lane).shelf(), record.position, record.until, StepMax(record),
                  PageCondition::Of(job.filter, random_)};
  context_.reads.ReadAfter(
      turn, Urgency::kBackground,
      [this, id, range = std::move(range),
       watch = context_.catalog.BeginPageWatch()](const StoreView& view) -> Task {
        return [this, id, shelf = range.shelf, watch, page = ScanLane(view, range)](
                   Turn& later) mutable { Take(id, shelf, std::move(page), watch, later); };
      });
}

void JobRunner::EndWithItsEntity(Job& job, Turn& turn) {
  job.record.error = context_.catalog.WhyGone(job.record.entity).message();
  End(job, JobState::kFailed, turn);
}

// A message that changed while it was read is in another caller's hands: it is left there. Behind
// the end of their entity none may be found, which says nothing of what the job has done.
void JobRunner::Take(JobId id, const Shelf& shelf, Result<ScanPage> page, const PageWatch& watch,
                     Turn& turn) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || context_.open.is_closed()) return;
  JobRecord& record = found->second.record;
  found->second.is_reading = false;
  if (!record.is_running()) return;
  if (context_.catalog.Find(record.entity) == nullptr) return EndWithItsEntity(found->second, turn);
  if (!page.ok()) {
    record.error = page.status().message();
    return End(found->second, JobState::kFailed, turn);
  }
  if (watch.is_lost()) return Step(id, turn);
  const std::int64_t done_before = record.done;
  record.looked_at += static_cast<std::int64_t>(page->looked_at);
  for (const FoundMessage& message : page->messages) {
    // What came to a lower partition meanwhile is not its business either.
    if (message.message->enqueued_at > record.created_at) continue;
    if (!record.order.selection.Takes(*message.message)) continue;
    ++record.matched;
    if (context_.catalog.HasChanged(shelf, message.message->number, watch)) {
      ++record.left;
    } else {
      Handle(record, message, turn);
    }
  }
  if (!page->next) return End(found->second, JobState::kCompleted, turn);
  record.position = *page->next;
  turn.changes.push_back(JobChanged{record});
  const std::int64_t done = record.done - done_before;
  if (record.order.rate_max == 0 || done == 0) return Step(id, turn);
  WakeAt(After(turn.now, Duration(std::chrono::seconds(done)) / record.order.rate_max), id);
}

void JobRunner::Handle(JobRecord& record, const FoundMessage& found, Turn& turn) {
  if (record.order.is_dry_run) return;
  const Status refused = Do(record, found, turn);
  if (refused.ok()) {
    ++record.done;
  } else {
    ++record.left;
    record.error = refused.message();
  }
}

Status JobRunner::Do(const JobRecord& record, const FoundMessage& found, Turn& turn) {
  Queue* queue = context_.catalog.Find(record.entity);
  if (queue == nullptr) return context_.catalog.WhyGone(record.entity);
  context_.touched.Touch({record.entity, record.lane});
  if (record.order.verb == JobVerb::kDeleteMessages) {
    if (queue->by_number().DeleteWaiting(record.lane, found, turn.now, turn.changes)) return {};
    return {ErrorCode::kInvalidOperation, "the message is locked, deferred or has expired"};
  }
  const std::string& name =
      record.order.target.empty() ? queue->description().name : record.order.target;
  const Result<EntityFinder::Target> target = finder_.ResolveEntity(name);
  if (!target.ok()) return target.status();
  context_.touched.Touch(target->lane);
  return Redrive(*queue, found, *target->queue, turn.now, turn.changes);
}

void JobRunner::PlanDue(Turn& turn) {
  while (!alarms_.empty() && alarms_.begin()->first <= turn.now) {
    const JobId id = alarms_.begin()->second;
    alarms_.erase(alarms_.begin());
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) continue;
    if (found->second.record.is_running()) {
      if (!found->second.is_reading) Step(id, turn);
    } else if (After(found->second.record.finished_at, kKeptFor) <= turn.now) {
      turn.changes.push_back(JobForgotten{id, found->second.record.entity});
      jobs_.erase(found);
    }
  }
}

Timestamp JobRunner::next_deadline() const {
  return alarms_.empty() ? kNever : alarms_.begin()->first;
}

}  // namespace wharf

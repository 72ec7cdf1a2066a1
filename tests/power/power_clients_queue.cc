// What concerns the whole queue, one request at a time: purges, jobs, updates, deletion, time.

#include <algorithm>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/power/power_clients.h"

namespace wharf {

using std::chrono::seconds;

namespace {

constexpr Places kEverywhere = kGone | kScheduled | kMainLane | kDeadLane;
constexpr JobId kBeforeJobs{};

}  // namespace

void PowerClients::AskAlone() {
  switch (Below(12)) {
    case 0:
      return DeleteOldest();
    case 1:
      return Purge();
    case 2:
    case 3:
      return BeginJob();
    case 4:
      return Update();
    case 5:
      return Recreate();
    default:
      return Advance();
  }
}

// Now and then beyond the end of a lock or of the window of duplicates.
void PowerClients::Advance() {
  engine().clock().Advance(seconds(Below(8) == 0 ? Below(200) : Below(20)));
  latest_ = now();
  engine().Run();
}

// The answer says how many; that it was the oldest is known if the number is as expected.
void PowerClients::DeleteOldest() {
  const LaneKind lane = AnyLane();
  std::vector<const Seen*> waiting;
  for (const Seen& seen : seen_) {
    if ((seen.place & InLane(lane, kWaiting | kDelayed)) != 0) waiting.push_back(&seen);
  }
  const std::size_t count = std::min<std::size_t>(1 + Below(4), waiting.size());
  const auto deleted = engine().DeleteOldest(PathOf(lane), std::max<std::size_t>(count, 1));
  if (deleted.ok()) {
    EXPECT_EQ(*deleted, static_cast<std::int64_t>(count));
  }
  const bool is_refused = !deleted.ok() && deleted.status().outcome() == Outcome::kNotDone;
  if (is_refused) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (deleted.ok()) {
      history_.Pin(waiting[i]->body, kGone);
    } else {
      history_.NoteDoubt({waiting[i]->body, waiting[i]->place, kGone});
    }
  }
}

// PRG-1: all of a lane at one instant, whoever holds it.
void PowerClients::Purge() {
  if (Below(3) != 0) return;
  const LaneKind lane = AnyLane();
  const bool with_scheduled = lane == LaneKind::kMain && Below(2) == 0;
  const Places from = InLane(lane, kMainLane) | (with_scheduled ? kScheduled : 0);
  const auto purged = engine().Purge(PathOf(lane), with_scheduled);
  if (purged.ok()) {
    history_.PinAll(from, kGone);
  } else if (purged.status().outcome() == Outcome::kUnknown) {
    history_.NoteDoubt({.from = from, .to = kGone});
  }
}

// Slow ones, which are cut in the middle.
void PowerClients::BeginJob() {
  const bool is_redrive = Below(2) == 0;
  const LaneKind lane = is_redrive ? LaneKind::kDeadLetter : AnyLane();
  const auto begun = engine().BeginJob(
      {.verb = is_redrive ? JobVerb::kRedrive : JobVerb::kDeleteMessages,
       .path = PathOf(lane),
       .rate_max = static_cast<std::uint32_t>(Below(2) == 0 ? 0 : 1 + Below(20))});
  if (!begun.ok() && begun.status().outcome() == Outcome::kNotDone) return;
  BegunJob job;
  job.ways.from = InLane(lane, is_redrive ? kWaiting | kDelayed | kDeferred : kWaiting | kDelayed);
  job.ways.to = is_redrive ? kWaiting : kGone;
  job.ways.ordinal_max = history_.last_ordinal();
  if (begun.ok()) job.id = begun->id;
  jobs_.push_back(std::move(job));
  ShowJobs();
}

void PowerClients::ShowJobs() {
  std::vector<Doubt> ways;
  for (const BegunJob& job : jobs_) ways.push_back(job.ways);
  history_.SetJobs(std::move(ways));
}

// A finished job does nothing any more; one whose beginning was in doubt is there or is not.
void PowerClients::NoteJobs() {
  std::map<JobId, JobRecord> records;
  const auto listed =
      engine().Await<std::vector<JobRecord>>([this](Answer<std::vector<JobRecord>> answer) {
        broker().ListJobs(kBeforeJobs, 1000, std::move(answer));
      });
  if (!listed.ok()) return;
  for (const JobRecord& record : *listed) records.emplace(record.id, record);
  for (BegunJob& job : jobs_) {
    if (!job.id && !records.empty()) job.id = records.rbegin()->first;
  }
  std::erase_if(jobs_, [&records](const BegunJob& job) {
    if (!job.id) return true;
    const auto found = records.find(*job.id);
    EXPECT_NE(found, records.end()) << "job " << job.id->value() << " is lost";
    if (found == records.end()) return true;
    const JobRecord& record = found->second;
    EXPECT_EQ(record.matched, record.done + record.left) << "in job " << record.id.value();
    return !record.is_running();
  });
  ShowJobs();
}

QueueDescription PowerClients::AnyDescription() {
  QueueDescription description;
  description.name = PathOf(LaneKind::kMain);
  description.lock_duration = seconds(60 + Below(60));
  description.max_delivery_count = 3;
  description.dead_lettering_on_message_expiration = Below(2) == 0;
  description.requires_duplicate_detection = true;
  description.duplicate_detection_history_time_window = seconds(60);
  description.user_metadata = fmt::format("description {}", ++names_);
  return description;
}

void PowerClients::NoteDescription(const QueueDescription& description) {
  descriptions_ = {description};
  history_.expired_to = description.dead_lettering_on_message_expiration
                            ? InLane(LaneKind::kDeadLetter, kWaiting)
                            : kGone;
}

void PowerClients::Update() {
  const QueueDescription description = AnyDescription();
  const Status updated = engine().UpdateQueue(description);
  if (updated.ok()) return NoteDescription(description);
  if (updated.outcome() != Outcome::kUnknown) return;
  const Places before = history_.expired_to;
  const QueueDescription description_before = descriptions_.front();
  NoteDescription(description);
  descriptions_.push_back(description_before);
  history_.expired_to |= before;
}

// Nothing of the old queue may be seen in the new one (reliability 50).
void PowerClients::Recreate() {
  if (Below(3) != 0) return;
  const Status deleted = engine().DeleteQueue(PathOf(LaneKind::kMain));
  if (!deleted.ok()) {
    may_be_deleted_ = deleted.outcome() == Outcome::kUnknown;
    return;
  }
  NoteDeleted();
  CreateQueue();
}

void PowerClients::NoteDeleted() {
  history_.PinAll(kEverywhere, kGone);
  ids_.clear();
  jobs_.clear();
  ShowJobs();
  seen_.clear();
  may_be_deleted_ = true;
}

void PowerClients::CreateQueue() {
  const QueueDescription description = AnyDescription();
  NoteDescription(description);
  if (!engine().CreateQueue(description).ok()) return;
  const auto snapshot = engine().GetQueue(description.name);
  if (!snapshot.ok()) return;
  entity_ = snapshot->record.id;
  may_be_deleted_ = false;
}

}  // namespace wharf

// The calls of RecordedClient that purge queues, and start and look at jobs.

#include "tools/crash/clients/recorded_client.h"

namespace wharf::crash {
namespace {

constexpr char kDeadLetterReason[] = "drawn by lot";

JobState StateOf(v1::Job::State state) {
  switch (state) {
    case v1::Job::STATE_COMPLETED:
      return JobState::kCompleted;
    case v1::Job::STATE_CANCELLED:
      return JobState::kCancelled;
    case v1::Job::STATE_FAILED:
      return JobState::kFailed;
    default:
      return JobState::kRunning;
  }
}

}  // namespace

Status RecordedClient::Purge(const Source& source, bool with_scheduled) {
  v1::PurgeRequest request;
  request.set_entity_path(PathOf(source));
  request.set_include_scheduled(with_scheduled);
  PurgeRecord purge;
  purge.source = source;
  purge.with_scheduled = with_scheduled;
  recorder_.Begin(purge);
  const Result<v1::PurgeResponse> response = client_.management().Purge(request);
  recorder_.End(purge, response.status());
  if (response.ok()) purge.purged_count = response->purged_count();
  recorder_.Add(purge);
  if (!response.ok()) return response.status();
  if (IsBacklog(source.queue)) {
    progress_.NoteGone(static_cast<std::uint64_t>(purge.purged_count));
  }
  progress_.NoteAcknowledged();
  return {};
}

Result<std::int64_t> RecordedClient::Redrive(QueueIndex queue, bool is_partial,
                                             std::uint32_t rate_max) {
  v1::StartRedriveRequest request;
  request.set_entity_path(PathOf({queue, Lane::kDeadLetter}));
  request.set_max_rate(rate_max);
  if (is_partial) request.mutable_selection()->set_dead_letter_reason(kDeadLetterReason);
  RedriveRecord redrive;
  redrive.queue = queue;
  redrive.is_partial = is_partial;
  recorder_.Begin(redrive);
  const Result<v1::Job> job = client_.management().StartRedrive(request);
  recorder_.End(redrive, job.status());
  if (job.ok()) redrive.job = job->id();
  recorder_.Add(redrive);
  if (!job.ok()) return job.status();
  progress_.NoteAcknowledged();
  return redrive.job;
}

Result<JobState> RecordedClient::LookAtJob(std::int64_t job) {
  return Look(job, [this, job] { return client_.management().GetJob(job); });
}

Result<JobState> RecordedClient::CancelJob(std::int64_t job) {
  return Look(job, [this, job] { return client_.management().CancelJob(job); });
}

Result<JobState> RecordedClient::Look(std::int64_t job,
                                      const std::function<Result<v1::Job>()>& look) {
  JobLookRecord record;
  record.job = job;
  recorder_.Begin(record);
  const Result<v1::Job> found = look();
  recorder_.End(record, found.status());
  if (found.ok()) {
    record.state = StateOf(found->state());
    record.examined_count = found->examined_count();
    record.matched_count = found->matched_count();
    record.done_count = found->done_count();
    record.left_count = found->left_count();
  }
  recorder_.Add(record);
  if (!found.ok()) return found.status();
  progress_.NoteAcknowledged();
  return record.state;
}

Result<std::int64_t> RecordedClient::DoneByJobs() {
  std::int64_t done = 0;
  std::string page_token;
  do {
    const Result<v1::ListJobsResponse> page = client_.management().ListJobs(page_token);
    if (!page.ok()) return page.status();
    for (const v1::Job& job : page->jobs()) done += job.done_count();
    page_token = page->next_page_token();
  } while (!page_token.empty());
  return done;
}

}  // namespace wharf::crash

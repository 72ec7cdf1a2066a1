// RecordedClient counts a queue, and looks at all that is in it.

#include <utility>

#include "tools/crash/clients/recorded_client.h"

namespace wharf::crash {
namespace {

constexpr std::uint32_t kPeekMax = 250;
// Locks end while a census is taken, and then it must be taken again.
constexpr int kCensusAttempts = 1000;

bool HaveEqualCounts(const v1::QueueRuntimeProperties& one, const v1::QueueRuntimeProperties& two) {
  return one.active_message_count() == two.active_message_count() &&
         one.locked_message_count() == two.locked_message_count() &&
         one.deferred_message_count() == two.deferred_message_count() &&
         one.dead_letter_message_count() == two.dead_letter_message_count() &&
         one.scheduled_message_count() == two.scheduled_message_count() &&
         one.size_in_bytes() == two.size_in_bytes();
}

}  // namespace

Result<v1::QueueRuntimeProperties> RecordedClient::Counters(QueueIndex queue) {
  return client_.management().GetQueueRuntimeProperties(recorder_.queue(queue).name);
}

Status RecordedClient::PeekAll(const Source& source, std::vector<SeenMessage>& messages) {
  v1::PeekRequest request;
  request.set_entity_path(PathOf(source));
  request.set_max_messages(kPeekMax);
  messages.clear();
  while (true) {
    const Result<v1::PeekResponse> response = client_.Peek(request);
    if (!response.ok()) return response.status();
    for (const v1::ReceivedMessage& message : response->messages()) {
      messages.push_back(Seen(message));
    }
    if (!response->has_next_sequence_number()) return {};
    request.set_from_sequence_number(response->next_sequence_number());
  }
}

// The broker itself still ends locks, moves what failed too often, forwards, and goes on with its
// jobs: if anything changed meanwhile, or is about to, everything is looked at anew.
Result<std::int64_t> RecordedClient::TakeCensus(QueueIndex queue) {
  CensusRecord census;
  census.queue = queue;
  for (int attempt = 0; attempt < kCensusAttempts; ++attempt) {
    census.begin = recorder_.Now();
    census.began_at = Recorder::WallTime();
    const Result<std::int64_t> done_before = DoneByJobs();
    if (!done_before.ok()) return done_before.status();
    const Result<v1::QueueRuntimeProperties> before = Counters(queue);
    if (!before.ok()) return before.status();
    WHARF_RETURN_IF_ERROR(PeekAll({queue, Lane::kMain}, census.active));
    WHARF_RETURN_IF_ERROR(PeekAll({queue, Lane::kDeadLetter}, census.dead_letters));
    const Result<std::int64_t> state_bytes = CountStateBytes(queue);
    if (!state_bytes.ok()) return state_bytes.status();
    const Result<v1::QueueRuntimeProperties> after = Counters(queue);
    if (!after.ok()) return after.status();
    const Result<std::int64_t> done_after = DoneByJobs();
    if (!done_after.ok()) return done_after.status();
    census.end = recorder_.Now();
    census.ended_at = Recorder::WallTime();
    if (!HaveEqualCounts(*before, *after) || *done_before != *done_after) continue;
    if (after->transfer_message_count() > 0) continue;
    census.active_count = after->active_message_count();
    census.locked_count = after->locked_message_count();
    census.dead_letter_count = after->dead_letter_message_count();
    census.scheduled_count = after->scheduled_message_count();
    census.total_count = after->total_message_count();
    census.bytes = after->size_in_bytes();
    census.state_bytes = *state_bytes;
    recorder_.Add(std::move(census));
    return after->total_message_count();
  }
  return Status(ErrorCode::kGeneralError, "the counters of a queue never stand still");
}

}  // namespace wharf::crash

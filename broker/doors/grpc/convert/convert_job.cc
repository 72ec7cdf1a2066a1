// Jobs: what is to be done, and how far it is.

#include <utility>

#include "broker/doors/common/field_error.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/convert_time.h"

namespace wharf {
namespace {

Result<MessageSelection> SelectionFromProto(const v1::MessageSelection& proto) {
  MessageSelection selection;
  if (proto.has_dead_letter_reason()) selection.dead_letter_reason = proto.dead_letter_reason();
  if (proto.has_enqueued_from()) {
    const Result<Timestamp> from = TimeFromProto("enqueued_from", proto.enqueued_from());
    if (!from.ok()) return from.status();
    selection.enqueued_from = *from;
  }
  if (proto.has_enqueued_before()) {
    const Result<Timestamp> before = TimeFromProto("enqueued_before", proto.enqueued_before());
    if (!before.ok()) return before.status();
    selection.enqueued_before = *before;
  }
  Result<std::vector<SequenceNumber>> numbers = NumbersFromProto(proto.sequence_numbers());
  if (!numbers.ok()) return numbers.status();
  selection.numbers = *std::move(numbers);
  selection.sql_filter = proto.sql_filter();
  return selection;
}

void SelectionToProto(const MessageSelection& selection, v1::MessageSelection* proto) {
  if (selection.dead_letter_reason) proto->set_dead_letter_reason(*selection.dead_letter_reason);
  if (selection.enqueued_from) ToProto(*selection.enqueued_from, proto->mutable_enqueued_from());
  if (selection.enqueued_before) {
    ToProto(*selection.enqueued_before, proto->mutable_enqueued_before());
  }
  for (const SequenceNumber number : selection.numbers) {
    proto->add_sequence_numbers(static_cast<std::int64_t>(number.value()));
  }
  proto->set_sql_filter(selection.sql_filter);
}

// What all jobs have in common.
template <typename Proto>
Result<JobOrder> OrderFromProto(JobVerb verb, const Proto& proto) {
  Result<MessageSelection> selection = SelectionFromProto(proto.selection());
  if (!selection.ok()) return selection.status();
  return JobOrder{.verb = verb,
                  .path = proto.entity_path(),
                  .selection = *std::move(selection),
                  .rate_max = proto.max_rate(),
                  .is_dry_run = proto.dry_run()};
}

v1::Job::Kind ToProto(JobVerb verb) {
  switch (verb) {
    case JobVerb::kRedrive:
      return v1::Job::KIND_REDRIVE;
    case JobVerb::kDeleteMessages:
      return v1::Job::KIND_DELETE_MESSAGES;
  }
  return v1::Job::KIND_UNSPECIFIED;
}

v1::Job::State ToProto(JobState state) {
  switch (state) {
    case JobState::kRunning:
      return v1::Job::STATE_RUNNING;
    case JobState::kCompleted:
      return v1::Job::STATE_COMPLETED;
    case JobState::kCancelled:
      return v1::Job::STATE_CANCELLED;
    case JobState::kFailed:
      return v1::Job::STATE_FAILED;
  }
  return v1::Job::STATE_UNSPECIFIED;
}

}  // namespace

Result<JobOrder> FromProto(const v1::StartRedriveRequest& proto) {
  Result<JobOrder> order = OrderFromProto(JobVerb::kRedrive, proto);
  if (order.ok()) order->target = proto.target();
  return order;
}

Result<JobOrder> FromProto(const v1::StartDeleteMessagesRequest& proto) {
  return OrderFromProto(JobVerb::kDeleteMessages, proto);
}

Result<JobId> JobIdFromProto(std::int64_t proto) {
  if (proto < 0) return OutOfRange("id", "is negative");
  return JobId(static_cast<std::uint64_t>(proto));
}

void ToProto(const JobRecord& job, v1::Job* proto) {
  proto->set_id(static_cast<std::int64_t>(job.id.value()));
  proto->set_kind(ToProto(job.order.verb));
  proto->set_state(ToProto(job.state));
  proto->set_entity_path(job.order.path);
  proto->set_target(job.order.target);
  SelectionToProto(job.order.selection, proto->mutable_selection());
  proto->set_max_rate(job.order.rate_max);
  proto->set_dry_run(job.order.is_dry_run);
  proto->set_examined_count(job.looked_at);
  proto->set_matched_count(job.matched);
  proto->set_done_count(job.done);
  proto->set_left_count(job.left);
  proto->set_last_error(job.error);
  ToProto(job.created_at, proto->mutable_created_at());
  if (job.finished_at != kNever) ToProto(job.finished_at, proto->mutable_finished_at());
}

}  // namespace wharf

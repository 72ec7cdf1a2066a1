#include "tests/schema/sample_records.h"

#include <limits>
#include <memory>

namespace wharf {
namespace {

constexpr Timestamp At(int second) { return Timestamp(std::chrono::seconds(second)); }

}  // namespace

StoredMessage SampleStoredMessage() {
  StoredMessage stored;
  stored.number = SequenceNumber((std::uint64_t{15} << 48) + 7);
  stored.enqueued_at = At(1000);
  stored.facts.size = 12345;
  stored.facts.expires_at = At(2000);
  stored.enqueued_number = SequenceNumber(3);
  stored.dead_letter_source = "other/queue";
  stored.hops = 3;
  stored.message = SampleMessage();
  return stored;
}

EntityRecord SampleEntity() {
  EntityRecord entity{EntityId(Bucket{201}, 300), EntityKind::kSubscription, {}, At(1), At(2)};
  QueueDescription& queue = entity.description;
  queue.name = "Site1/Orders";
  queue.lock_duration = std::chrono::hours(24);
  queue.max_size_in_megabytes = std::numeric_limits<std::int64_t>::max();
  queue.max_message_size_in_kilobytes = 102400;
  queue.requires_duplicate_detection = true;
  queue.duplicate_detection_history_time_window = std::chrono::seconds(20);
  queue.requires_session = true;
  queue.default_message_time_to_live = std::chrono::hours(1);
  queue.dead_lettering_on_message_expiration = true;
  queue.max_delivery_count = std::numeric_limits<std::int32_t>::max();
  queue.enable_batched_operations = false;
  queue.status = EntityStatus::kReceiveDisabled;
  queue.forward_to = "there";
  queue.forward_dead_lettered_messages_to = "elsewhere";
  queue.auto_delete_on_idle = std::chrono::minutes(5);
  queue.enable_partitioning = true;
  queue.enable_priority = true;
  queue.user_metadata = "mine";
  queue.support_ordering = false;
  queue.enable_express = true;
  queue.retry_policy =
      RetryPolicy{Backoff::kExponential, std::chrono::seconds(2), std::chrono::hours(1), 0.25};
  return entity;
}

LaneCounters SampleCounters() {
  LaneCounters counters;
  counters.fresh = 1;
  counters.locked = 200;
  counters.returned = 30000;
  counters.bytes = std::numeric_limits<std::int64_t>::max();
  counters.next_number = SequenceNumber(std::uint64_t{1} << 40);
  counters.cursor = SequenceNumber(5);
  counters.generation = 3;
  counters.delayed = 5;
  counters.deferred = 6;
  counters.separate_bodies = 70000;
  counters.scheduled = 8;
  counters.scheduled_bytes = 900;
  counters.scheduled_floor = SequenceNumber(4);
  for (PartitionId partition = 1; partition < kPartitions; ++partition) {
    counters.next_numbers.emplace_back(FirstNumberOf(partition).value() + 7);
  }
  counters.RaiseTakenEnd(SequenceNumber(6));
  counters.RaiseTakenEnd(FirstNumberOf(3));
  counters.active_at = Timestamp(Duration(78));
  counters.accessed_at = At(3);
  return counters;
}

JobRecord SampleJob() {
  JobRecord job;
  job.id = JobId(7);
  job.order = {JobVerb::kDeleteMessages,
               "orders/$DeadLetterQueue",
               {"because", At(1), At(2), {SequenceNumber(3), SequenceNumber(400)}, "color = 'red'"},
               "elsewhere",
               50,
               true};
  job.entity = EntityId(2);
  job.lane = LaneKind::kDeadLetter;
  job.state = JobState::kFailed;
  job.position = SequenceNumber(70);
  job.until = SequenceNumber(900);
  job.looked_at = 60;
  job.matched = 50;
  job.done = 40;
  job.left = 10;
  job.error = "it is full";
  job.created_at = At(4);
  job.finished_at = At(5);
  return job;
}

TransactionRecord SampleTransaction() {
  TransactionRecord transaction;
  transaction.id = "tx";
  transaction.state = TransactionState::kCommitted;
  transaction.begun_at = At(1);
  transaction.ends_at = At(2);
  transaction.forget_after = At(602);
  transaction.reason = "why not";
  transaction.results = {{.sent = {{SequenceNumber(7), false}, {SequenceNumber(300), true}}},
                         {},
                         {.locked_until = At(62)}};
  transaction.operations = 3;
  return transaction;
}

Lock SampleLock() {
  Lock lock;
  lock.number = SequenceNumber(9);
  lock.until = At(30);
  lock.delivery.count = std::numeric_limits<std::uint32_t>::max();
  lock.delivery.changed_properties = std::make_shared<const PropertyMap>(SampleProperties());
  lock.facts.size = 5000;
  lock.facts.expires_at = At(60);
  lock.facts.body_ref = BodyRef{EntityId(2), SequenceNumber(9), 4500};
  return lock;
}

Span SampleSpan() {
  return {SequenceNumber(1000),
          SequenceNumber(70000),
          Timestamp(Duration(9)),
          {SequenceNumber(1003), SequenceNumber(1004), SequenceNumber(69000)}};
}

}  // namespace wharf

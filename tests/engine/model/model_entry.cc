// How messages enter a queue: their numbers, their lives, their ids; scheduled ones.

#include <algorithm>

#include "tests/engine/model/model.h"

namespace wharf {

ModelQueue::ModelQueue(const QueueDescription& description) : description_(description) {
  for (PartitionId partition = 0; partition < kPartitions; ++partition) {
    next_numbers_[partition] = FirstNumberOf(partition).value();
  }
}

void ModelQueue::Restart() {
  free_partition_ = 0;
  passed_over_ = 0;
  since_lower_ = 0;
}

bool ModelQueue::DetectsDuplicateOf(const ModelMessage& message) const {
  return description_.requires_duplicate_detection && message.message_id;
}

// PAR-1.
PartitionId ModelQueue::PartitionFor(const ModelMessage& message) {
  if (!description_.enable_partitioning) return 0;
  if (message.partition_key) return PartitionOfKey(*message.partition_key);
  if (DetectsDuplicateOf(message)) return PartitionOfKey(*message.message_id);
  is_turn_used_ = true;
  return free_partition_;
}

void ModelQueue::PassTurn() {
  if (is_turn_used_) free_partition_ = (free_partition_ + 1) % kPartitions;
  is_turn_used_ = false;
}

// Clamped by the queue, and counted from the moment of enqueueing; a queue that forwards lets
// nothing expire: TTL-1..3, TTL-16.
void ModelQueue::StartLife(ModelMessage& message, Timestamp now) const {
  message.enqueued_at = now;
  const Duration limit = description_.default_message_time_to_live;
  if (limit != kUnlimited) {
    message.time_to_live = std::min(message.time_to_live.value_or(limit), limit);
  }
  const bool may_expire = message.time_to_live && !description_.forward_to;
  message.expires_at = may_expire ? now + *message.time_to_live : kNever;
}

std::uint64_t ModelQueue::Append(ModelMessage message, Timestamp now) {
  message.number = TakeNumber(PartitionFor(message));
  StartLife(message, now);
  NoteChange(message);
  const std::uint64_t number = message.number;
  // Where nothing was the broker may have forgotten what was passed over (PRI-2), or not.
  if (main_.empty()) passed_over_ = 0;
  main_.emplace(number, std::move(message));
  return number;
}

void ModelQueue::AppendDead(ModelMessage message, const std::string& reason, Timestamp now) {
  message.number = TakeNumber(PartitionFor(message));
  StartLife(message, now);
  const std::uint64_t number = message.number;
  main_.emplace(number, std::move(message));
  DeadLetter(number, reason, kSomeText);
}

ModelMessage ModelQueue::MessageOf(const Message& message) {
  ModelMessage sent{.body = message.body, .time_to_live = message.time_to_live};
  if (message.carried) sent.priority = *message.carried->priority;
  sent.partition_key = message.partition_key;
  sent.message_id = message.message_id;
  sent.scheduled_for = message.scheduled_enqueue_time;
  for (const auto& [name, value] : message.application_properties) {
    sent.properties[name] = std::get<std::string>(value);
  }
  return sent;
}

// DUP-3.
std::string ModelQueue::IdOf(const ModelMessage& message) const {
  const bool has_key = description_.enable_partitioning && message.partition_key;
  return (has_key ? *message.partition_key + '/' : std::string()) + *message.message_id;
}

// DUP-4, DUP-8: a number that was scheduled is known only while it is.
ModelSent ModelQueue::Enter(ModelMessage message, Timestamp time, Timestamp now) {
  const bool detects = DetectsDuplicateOf(message);
  const std::string id = detects ? IdOf(message) : std::string();
  if (detects && ids_.contains(id)) {
    const RememberedId& known = ids_.at(id);
    const bool is_gone = known.was_scheduled && !scheduled_.contains(known.number);
    if (known.forget_after > now) {
      return is_gone ? ModelSent{0, true, known.number} : ModelSent{known.number, true};
    }
  }
  const bool is_scheduled = time > now;
  std::uint64_t number = 0;
  if (is_scheduled) {
    number = message.number = TakeNumber(0);
    scheduled_[number] = {std::move(message), time};
  } else {
    number = Append(std::move(message), now);
  }
  if (detects) {
    ids_[id] = {number, now + description_.duplicate_detection_history_time_window, is_scheduled};
  }
  return {number, false};
}

void ModelQueue::ActivateOne(std::uint64_t number, Timestamp now) {
  ModelMessage message = scheduled_.at(number).message;
  scheduled_.erase(number);
  message.scheduled_for = std::min(*message.scheduled_for, now);
  Append(std::move(message), now);
  PassTurn();
}

bool ModelQueue::HasAllScheduled(const Numbers& numbers) const {
  return std::all_of(numbers.begin(), numbers.end(),
                     [this](std::uint64_t number) { return scheduled_.contains(number); });
}

bool ModelQueue::CancelScheduled(const Numbers& numbers) {
  if (!HasAllScheduled(numbers)) return false;
  for (const std::uint64_t number : numbers) scheduled_.erase(number);
  return true;
}

bool ModelQueue::Reschedule(const Numbers& numbers, Timestamp time, Timestamp now) {
  if (!HasAllScheduled(numbers)) return false;
  for (const std::uint64_t number : numbers) {
    if (time <= now) {
      ActivateOne(number, now);
    } else {
      scheduled_.at(number).time = time;
      scheduled_.at(number).message.scheduled_for = time;
    }
  }
  return true;
}

bool ModelQueue::Activate(const Numbers& numbers, Timestamp now) {
  if (!HasAllScheduled(numbers)) return false;
  for (const std::uint64_t number : numbers) ActivateOne(number, now);
  return true;
}

}  // namespace wharf

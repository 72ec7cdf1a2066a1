#include "broker/trace/tracer.h"

#include <chrono>
#include <utility>

namespace wharf::trace {

std::optional<Span> Tracer::Follow(const Message& message) const {
  std::optional<TraceContext> context = ContextOf(message.application_properties);
  if (!context || (sampling_ == Sampling::kParent && !context->is_sampled)) return std::nullopt;
  return Span{.parent = *std::move(context), .message_id = message.message_id.value_or("")};
}

void Tracer::Push(Span span) {
  const std::size_t bytes = BytesOf(span);
  bool is_batch = false;
  {
    MutexLock lock(mutex_);
    if (is_closed_ || bytes_ + bytes > limits_.bytes_max) return NoteLost();
    bytes_ += bytes;
    spans_.push_back(std::move(span));
    is_batch = spans_.size() == limits_.batch_spans_max;
  }
  if (is_batch) has_batch_.notify_one();
}

Tracer::Counts Tracer::counts() const {
  return {
      .exported = exported_, .lost_for_room = lost_for_room_, .lost_on_the_way = lost_on_the_way_};
}

void Tracer::AwaitBatch(Duration patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  MutexLock lock(mutex_);
  while (!is_closed_ && spans_.size() < limits_.batch_spans_max) {
    if (has_batch_.wait_until(mutex_, until) == std::cv_status::timeout) return;
  }
}

std::vector<Span> Tracer::TakeBatch() {
  std::vector<Span> batch;
  MutexLock lock(mutex_);
  while (!spans_.empty() && batch.size() < limits_.batch_spans_max) {
    bytes_ -= BytesOf(spans_.front());
    batch.push_back(std::move(spans_.front()));
    spans_.pop_front();
  }
  return batch;
}

void Tracer::NoteExported(std::size_t spans, bool has_arrived) {
  (has_arrived ? exported_ : lost_on_the_way_).fetch_add(spans, std::memory_order_relaxed);
}

void Tracer::Close() {
  {
    MutexLock lock(mutex_);
    is_closed_ = true;
  }
  has_batch_.notify_all();
}

bool Tracer::is_closed() const {
  MutexLock lock(mutex_);
  return is_closed_;
}

}  // namespace wharf::trace

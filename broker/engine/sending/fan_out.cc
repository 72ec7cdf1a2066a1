#include "broker/engine/sending/fan_out.h"

#include <fmt/core.h>

namespace wharf {
namespace {

FanOut CountOne(const Topic& topic, const Message& message) {
  const std::size_t copies = topic.copies_max();
  return {.copies = 1 + copies,
          .bytes = copies * FanOut::kCopyBytes + topic.CopiedBytes(message),
          .filters = topic.rules().sql_filters()};
}

}  // namespace

FanOut FanOut::Of(const Topics& topics, const Queue& queue, const std::vector<Message>& messages,
                  Timestamp now) {
  const Topic* const topic = topics.Find(queue.id());
  if (topic == nullptr) return {};
  FanOut made;
  for (const Message& message : messages) {
    if (message.scheduled_enqueue_time.value_or(now) <= now) made.Add(CountOne(*topic, message));
  }
  return made;
}

FanOut FanOut::OfOne(const Topics& topics, const Queue& queue, const Message& message) {
  const Topic* const topic = topics.Find(queue.id());
  return topic == nullptr ? FanOut() : CountOne(*topic, message);
}

FanOut FanOut::OfLargest(const Topics& topics, const Queue& queue,
                         const std::vector<Message>& messages) {
  const Topic* const topic = topics.Find(queue.id());
  if (topic == nullptr) return {};
  FanOut largest;
  for (const Message& message : messages) {
    const FanOut one = CountOne(*topic, message);
    if (one.bytes >= largest.bytes) largest = one;
  }
  return largest;
}

void FanOut::Add(const FanOut& more) {
  copies += more.copies;
  bytes += more.bytes;
  filters += more.filters;
}

Status FanOut::Check(ErrorCode code, std::string_view what) const {
  if (copies <= kCopiesMax && filters <= kFiltersMax && bytes <= kBytesMax) return {};
  return {code, fmt::format("{} may make {} copies for the subscriptions of topics, of {} bytes, "
                            "and ask {} SQL filters at most; this one would make up to {}, of {} "
                            "bytes, and ask {}; send fewer messages at a time, or smaller ones",
                            what, kCopiesMax, kBytesMax, kFiltersMax, copies, bytes, filters)};
}

}  // namespace wharf

#include "broker/engine/sending/fan_out.h"

#include <fmt/core.h>

namespace wharf {

FanOut FanOut::Of(const Topics& topics, const Queue& queue, const std::vector<Message>& messages,
                  Timestamp now) {
  const Topic* const topic = topics.Find(queue.record().id);
  if (topic == nullptr) return {};
  FanOut made;
  for (const Message& message : messages) {
    if (message.scheduled_enqueue_time.value_or(now) > now) continue;
    made.copies += topics.CopiesOf(queue);
    made.filters += topics.FiltersOf(queue);
    made.bytes += topic->CopiedBytes(message);
  }
  return made;
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
                            "bytes, and ask {}; send fewer messages at a time",
                            what, kCopiesMax, kBytesMax, kFiltersMax, copies, bytes, filters)};
}

}  // namespace wharf

// Publish: how fast messages are copied into the subscriptions of a topic, and what a copy costs
// the disk. Runs on the main thread and returns when it is over.
#pragma once

#include <cstdint>
#include <string>

#include "tools/wharf/bench/bench.h"
#include "tools/wharf/bench/publish_topic.h"
#include "tools/wharf/text/json.h"

namespace wharf::tool {

struct PublishReport {
  BenchReport send;
  std::uint64_t copies = 0;
  // In all synced writes meanwhile.
  std::uint64_t synced_bytes = 0;

  double copies_per_second() const;
  // 0 if there were no copies.
  double synced_bytes_per_copy() const;
};

// Durable sends to the topic, which has no copies yet; `plan.queue` is not looked at.
Result<PublishReport> BenchPublish(client::Client& client, PublishTopic& topic, BenchPlan plan);

std::string ToText(const PublishReport& report);
Json ToJson(const PublishReport& report);

}  // namespace wharf::tool

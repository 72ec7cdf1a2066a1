#include "tests/harness/broker_accounts.h"

#include <vector>

#include <fmt/core.h>

#include "broker/schema/loader.h"
#include "tests/harness/body_accounts.h"
#include "tests/harness/message_accounts.h"
#include "tests/harness/session_accounts.h"
#include "tests/harness/span_accounts.h"
#include "tests/harness/track_accounts.h"

namespace wharf {
namespace {

std::vector<QueueSnapshot> SnapshotsOf(const BrokerImage& image) {
  std::vector<QueueSnapshot> queues;
  for (const Queue::Image& queue : image.catalog.queues) {
    queues.push_back({.record = queue.record,
                      .main = queue.main.counters,
                      .dead_letter = queue.dead_letter.counters});
  }
  return queues;
}

std::string FindWrongIn(const Store& store, const QueueSnapshot& queue) {
  const EntityId id = queue.record.id;
  std::string wrong = FindWrongCounters(store, id, LaneKind::kMain, queue.main);
  const std::string dead = FindWrongCounters(store, id, LaneKind::kDeadLetter, queue.dead_letter);
  if (!dead.empty()) wrong += "in its dead-letter queue: " + dead;
  wrong += FindStrayPlaces(store, queue);
  wrong += queue.record.description.requires_session ? FindWrongSessions(store, queue)
                                                     : FindWrongTracks(store, queue);
  return wrong;
}

// When a queue was used is written with a grain, and one with partitions that never was has no
// numbers yet.
bool IsWritten(LaneCounters counters, const LaneCounters& stored) {
  counters.accessed_at = stored.accessed_at;
  counters.active_at = stored.active_at;
  if (stored.next_numbers.empty()) counters.next_numbers.clear();
  return counters == stored;
}

std::int64_t BytesIn(const Catalog& catalog) {
  std::int64_t bytes = 0;
  for (const Queue* queue : catalog.queues()) {
    bytes += queue->lane(LaneKind::kMain).counters().all_bytes();
    bytes += queue->lane(LaneKind::kDeadLetter).counters().all_bytes();
  }
  return bytes;
}

}  // namespace

std::string FindWrongAccounts(const Store& store) {
  const Result<BrokerImage> image = LoadBroker(store);
  if (!image.ok()) return image.status().ToString();
  std::string wrong;
  for (const QueueSnapshot& queue : SnapshotsOf(*image)) {
    const std::string found = FindWrongIn(store, queue);
    if (!found.empty()) wrong += fmt::format("'{}': {}", queue.record.description.name, found);
  }
  return wrong + FindWrongSpans(store, *image) + FindStrayBodies(store);
}

std::string FindUnwrittenCounters(const Store& store, const Catalog& catalog) {
  const Result<BrokerImage> image = LoadBroker(store);
  if (!image.ok()) return image.status().ToString();
  std::string wrong;
  if (BytesIn(catalog) != catalog.bytes()) {
    wrong += fmt::format("the namespace has {} bytes, and its lanes {}; ", catalog.bytes(),
                         BytesIn(catalog));
  }
  for (const QueueSnapshot& stored : SnapshotsOf(*image)) {
    const Queue* queue = catalog.Find(stored.record.id);
    const bool is_same =
        queue != nullptr && IsWritten(queue->lane(LaneKind::kMain).counters(), stored.main) &&
        IsWritten(queue->lane(LaneKind::kDeadLetter).counters(), stored.dead_letter);
    if (!is_same) {
      wrong += fmt::format("'{}' has other counters in memory than in the store; ",
                           stored.record.description.name);
    }
  }
  return wrong;
}

}  // namespace wharf

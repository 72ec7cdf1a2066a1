#include "tools/crash/routes/route_inspector.h"

#include <chrono>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "tools/crash/clients/wire.h"
#include "tools/crash/routes/route_entities.h"
#include "tools/crash/routes/route_life.h"

namespace wharf::crash {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kPeekMax = 250;
constexpr std::uint32_t kReceiveMax = 500;
constexpr Duration kReceiveWait = std::chrono::milliseconds(100);
constexpr Duration kForwardPatience = std::chrono::seconds(60);
constexpr Duration kEmptyPatience = std::chrono::seconds(60);
constexpr Duration kPause = std::chrono::milliseconds(5);

client::SubscriptionId SubscriptionOf(Place place) {
  return {.topic = kTopic, .name = NameOf(place)};
}

}  // namespace

RouteInspector::RouteInspector(const std::string& address)
    : client_(address, RouteClientOptions()) {}

Result<Inventory> RouteInspector::Look() {
  Inventory inventory;
  for (auto place = kPlaces.rbegin(); place != kPlaces.rend(); ++place) {
    Result<std::vector<SeenCopy>> copies = LookAt(*place);
    if (!copies.ok()) return copies.status();
    inventory.emplace(*place, *std::move(copies));
  }
  return inventory;
}

Result<std::vector<SeenCopy>> RouteInspector::LookAt(Place place) {
  v1::PeekRequest request;
  request.set_entity_path(PathOf(place));
  request.set_max_messages(kPeekMax);
  std::vector<SeenCopy> copies;
  while (true) {
    const Result<v1::PeekResponse> response = client_.Peek(request);
    if (!response.ok()) return response.status();
    for (const v1::ReceivedMessage& message : response->messages()) {
      const SeenMessage seen = Seen(message);
      copies.push_back({seen.id, seen.body});
    }
    if (!response->has_next_sequence_number()) return copies;
    request.set_from_sequence_number(response->next_sequence_number());
  }
}

Result<RouteInspector::Counters> RouteInspector::Count(Place place) {
  const auto read = [](const auto& counters) -> Result<Counters> {
    if (!counters.ok()) return counters.status();
    return Counters{
        counters->total_message_count(),
        counters->dead_letter_message_count() + counters->transfer_dead_letter_message_count()};
  };
  if (IsSubscription(place)) {
    return read(client_.topics().GetSubscriptionRuntimeProperties(SubscriptionOf(place)));
  }
  return read(client_.management().GetQueueRuntimeProperties(NameOf(place)));
}

// Each place is empty for good when the one before it is: in their order.
Status RouteInspector::WaitUntilForwarded() {
  WHARF_RETURN_IF_ERROR(SetForwarding(client_, Place::kRelay, true));
  WHARF_RETURN_IF_ERROR(SetForwarding(client_, Place::kOnward, true));
  const auto deadline = Clock::now() + kForwardPatience;
  for (const Place place : {Place::kOnward, Place::kRelay}) {
    while (true) {
      const Result<Counters> counters = Count(place);
      if (!counters.ok()) return counters.status();
      if (counters->total == counters->dead_letters) break;
      if (Clock::now() > deadline) {
        return {ErrorCode::kServiceTimeout,
                fmt::format("'{}' does not forward {} messages any more", NameOf(place),
                            counters->total - counters->dead_letters)};
      }
      std::this_thread::sleep_for(kPause);
    }
  }
  return {};
}

Status RouteInspector::CheckCounters(const Inventory& inventory, RouteLedger& ledger) {
  for (const auto& [place, copies] : inventory) {
    const Result<Counters> counters = Count(place);
    if (!counters.ok()) return counters.status();
    if (counters->dead_letters != 0) {
      ledger.Report({.rule = Rule::kOnePlace,
                     .what = fmt::format("'{}' has {} dead letters, and nobody made any",
                                         NameOf(place), counters->dead_letters)});
    }
    const auto seen = static_cast<std::int64_t>(copies.size());
    if (counters->total - counters->dead_letters == seen) continue;
    ledger.Report({.rule = Rule::kExactCounters,
                   .what = fmt::format("'{}' counts {} messages, {} were seen", NameOf(place),
                                       counters->total - counters->dead_letters, seen)});
  }
  return {};
}

Status RouteInspector::Purge(Place place) {
  v1::PurgeRequest request;
  request.set_entity_path(PathOf(place));
  return client_.management().Purge(request).status();
}

Status RouteInspector::Consume(Place place, RouteLedger& ledger) {
  const auto deadline = Clock::now() + kEmptyPatience;
  v1::ReceiveRequest request;
  request.set_entity_path(PathOf(place));
  request.set_mode(v1::RECEIVE_MODE_RECEIVE_AND_DELETE);
  request.set_max_messages(kReceiveMax);
  SetDuration(kReceiveWait, request.mutable_max_wait());
  while (true) {
    const Result<Counters> counters = Count(place);
    if (!counters.ok() || counters->total == 0) return counters.status();
    const Result<v1::ReceiveResponse> received = client_.Receive(request);
    if (!received.ok()) return received.status();
    for (const v1::ReceivedMessage& message : received->messages()) {
      const SeenMessage seen = Seen(message);
      ledger.NoteDelivered(place, {seen.id, seen.body});
    }
    if (Clock::now() > deadline) {
      return {ErrorCode::kServiceTimeout, fmt::format("'{}' does not become empty", NameOf(place))};
    }
  }
}

Result<std::int64_t> RouteInspector::StoredBytes() {
  const auto topic = client_.topics().GetTopicRuntimeProperties(kTopic);
  if (!topic.ok()) return topic.status();
  std::int64_t bytes = topic->size_in_bytes();
  for (const Place place : kPlaces) {
    if (IsSubscription(place)) continue;
    const auto queue = client_.management().GetQueueRuntimeProperties(NameOf(place));
    if (!queue.ok()) return queue.status();
    bytes += queue->size_in_bytes();
  }
  return bytes;
}

}  // namespace wharf::crash

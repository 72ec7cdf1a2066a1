// Looks through the sessions of a queue, as its owner does: a page of them, or which are the
// deepest.
//
// Used on reader threads; each call sees the store as it was at one instant.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/changes/change.h"
#include "broker/core/messages/session_page.h"
#include "storage/store.h"

namespace wharf {

// What the shard knows of a session that a receiver holds.
struct HeldSession {
  Timestamp until;
  Timestamp since;
  std::int64_t in_flight = 0;
  // The lowest number in flight.
  std::optional<SequenceNumber> lowest{};
  // As who asks may hear of it.
  ActorPtr holder{};
};
// Held sessions behind the start of a page.
struct HeldSessions {
  std::map<std::string, HeldSession> by_id;
  // Only up to this id, because there are so many; nothing: all.
  std::optional<std::string> through{};
};

struct SessionListRange {
  Shelf shelf;
  // Only ids behind this one; nothing: from the first.
  std::optional<std::string> after{};
  std::size_t count_max = 0;
  // Only sessions whose state was set at or after this (SLS-1).
  std::optional<Timestamp> state_updated_since{};
};
// Sessions with messages, state or a holder. A page may be short, or empty, and still have a next:
// what it looks at is bounded.
Result<SessionPage> ReadSessionPage(const StoreView& view, const SessionListRange& range,
                                    const HeldSessions& held);

struct DepthPage {
  std::vector<SessionDepth> depths;
  // Where to go on: in the session that the last one of `depths` is about. Nothing: that was all.
  std::optional<std::pair<std::string, SequenceNumber>> next{};
};
// How many messages wait in each of the sessions behind `after`; as many sessions as there are
// among `rows_max` rows.
Result<DepthPage> ReadSessionDepths(
    const StoreView& view, const Shelf& shelf,
    const std::optional<std::pair<std::string, SequenceNumber>>& from, std::size_t rows_max);

}  // namespace wharf

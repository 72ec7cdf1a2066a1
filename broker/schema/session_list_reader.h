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

#include "broker/core/change.h"
#include "storage/store.h"

namespace wharf {

// A session as management shows it.
struct SessionInfo {
  std::string id;
  // Waiting, delayed and locked; `has_more`: at least so many.
  std::int64_t messages = 0;
  bool has_more = false;
  // Of the lowest of them.
  std::optional<SequenceNumber> oldest_number{};
  Timestamp oldest_enqueued_at;
  // kNever: nobody holds it.
  Timestamp locked_until = kNever;
  Timestamp locked_since = kNever;
  // Nothing: it has no state.
  std::optional<Timestamp> state_updated_at{};
  std::int64_t state_bytes = 0;
};

// What the shard knows of a session that somebody holds.
struct HeldSession {
  Timestamp until;
  Timestamp since;
  std::int64_t in_flight = 0;
  // The lowest of them.
  std::optional<SequenceNumber> lowest{};
};
// Those behind the start of a page.
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
struct SessionPage {
  std::vector<SessionInfo> sessions;
  // The id to go on behind; nothing if there are no more.
  std::optional<std::string> next_after{};
};
// Sessions with messages, state or a holder. A page may be short, or empty, and still have a next:
// what it looks at is bounded.
Result<SessionPage> ReadSessionPage(const StoreView& view, const SessionListRange& range,
                                    const HeldSessions& held);

// How many messages wait in each of the sessions behind `after`; as many sessions as there are
// among `rows_max` rows.
struct SessionDepth {
  std::string session;
  std::int64_t messages = 0;
};
struct DepthPage {
  std::vector<SessionDepth> depths;
  // Where to go on: in the session that the last one of `depths` is about. Nothing: that was all.
  std::optional<std::pair<std::string, SequenceNumber>> next{};
};
Result<DepthPage> ReadSessionDepths(
    const StoreView& view, const Shelf& shelf,
    const std::optional<std::pair<std::string, SequenceNumber>>& from, std::size_t rows_max);

}  // namespace wharf

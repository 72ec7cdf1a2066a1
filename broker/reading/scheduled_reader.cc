#include "broker/reading/scheduled_reader.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "absl/container/btree_map.h"
#include "broker/reading/peek_reader.h"
#include "broker/schema/key_walk.h"
#include "broker/schema/keys.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

// Rows that one page looks at: those of purged messages stay for a while.
constexpr std::size_t kScheduledRowsMax = 4096;
// Rows among which the times of messages are looked for that cannot be read.
constexpr std::size_t kTimesMax = 65536;

using Unreadable = absl::btree_map<SequenceNumber, UnreadableScheduled>;

// The times of these; nothing is left of one for which there is none. Fails with damage if that
// cannot be told.
Status FindTimes(const StoreView& view, EntityId entity, Unreadable& unreadable) {
  Unreadable timed;
  KeyWalk rows(view, Table::kScheduledTimes, ScheduledTimeRange(entity, {}));
  std::size_t count = 0;
  for (; timed.size() < unreadable.size() && count < kTimesMax; rows.Next(), ++count) {
    const Result<bool> has_next = rows.HasNext();
    if (!has_next.ok()) return has_next.status();
    if (!*has_next) break;
    const auto at = ScheduledTimeOfKey(rows.key());
    if (!at) continue;
    const auto found = unreadable.find(at->number);
    if (found == unreadable.end()) continue;
    found->second.time = at->time;
    timed.insert(*found);
  }
  const bool is_whole = count < kTimesMax && rows.damaged_places() == 0;
  if (is_whole || timed.size() == unreadable.size()) {
    unreadable = std::move(timed);
    return {};
  }
  const auto lost = std::find_if(unreadable.begin(), unreadable.end(),
                                 [&](const auto& each) { return !timed.contains(each.first); });
  return Status::Damage(
      fmt::format("scheduled message {} cannot be read, nor can be found when it "
                  "is to be enqueued: {}",
                  lost->first.value(), lost->second.reason));
}

MessagePtr StubOf(const ScheduledTime& at) {
  auto stub = std::make_shared<StoredMessage>();
  stub->number = at.number;
  stub->message.scheduled_enqueue_time = at.time;
  return stub;
}

// Whether there is one.
Result<bool> AddTo(ScheduledPage& page, const StoreView& view, const ScheduledListing& listing,
                   const ScheduledTime& at) {
  Result<ScheduledLook> look = LookAtScheduled(view, listing.entity, at.number, listing.bodies);
  if (!look.ok()) return look.status();
  if (!look->is_there()) return false;
  MessagePtr message = look->message != nullptr ? std::move(look->message) : StubOf(at);
  if (listing.bodies == Bodies::kLeave) message = WithoutBody(message);
  page.messages.push_back(std::move(message));
  if (!look->unreadable.empty()) page.unreadable.emplace(at.number, std::move(look->unreadable));
  return true;
}

}  // namespace

Result<ScheduledLook> LookAtScheduled(const StoreView& view, EntityId entity, SequenceNumber number,
                                      Bodies bodies) {
  ScheduledLook look;
  Result<std::optional<std::string>> record =
      view.Get(IdOf(Table::kScheduled), ScheduledKey(entity, number));
  if (!record.ok() && !record.status().is_damage()) return record.status();
  if (!record.ok()) look.unreadable = record.status().message();
  if (!record.ok() || !*record) return look;
  Result<MessagePtr> message = ToMessage(view, number, **record, bodies);
  if (!message.ok() && bodies == Bodies::kLoad) {
    look.unreadable = message.status().message();
    message = ToMessage(view, number, **record, Bodies::kLeave);
  }
  if (message.ok()) {
    look.message = *std::move(message);
    return look;
  }
  if (!message.status().is_damage()) return message.status();
  look.unreadable = message.status().message();
  look.record = **std::move(record);
  return look;
}

Result<FoundScheduled> ReadScheduled(const StoreView& view, EntityId entity,
                                     const std::vector<SequenceNumber>& numbers) {
  Result<Contents> all = ReadScheduledRows(view, entity, numbers);
  if (all.ok()) return FoundScheduled{*std::move(all)};
  if (!all.status().is_damage()) return all.status();
  FoundScheduled found;
  Unreadable unreadable;
  for (const SequenceNumber number : numbers) {
    Result<ScheduledLook> look = LookAtScheduled(view, entity, number, Bodies::kLeave);
    if (!look.ok()) return look.status();
    if (look->message != nullptr) {
      found.messages.emplace(number, std::move(look->message));
    } else if (look->is_there()) {
      unreadable.emplace(number, UnreadableScheduled{{}, std::move(look->unreadable)});
    }
  }
  WHARF_RETURN_IF_ERROR(FindTimes(view, entity, unreadable));
  found.unreadable.insert(unreadable.begin(), unreadable.end());
  return found;
}

Result<ScheduledPage> ListScheduled(const StoreView& view, const ScheduledListing& listing) {
  ScheduledPage page;
  std::size_t bytes = 0;
  KeyWalk rows(view, Table::kScheduledTimes, ScheduledTimeRange(listing.entity, listing.from));
  for (std::size_t count = 0;; rows.Next(), ++count) {
    const Result<bool> has_next = rows.HasNext();
    if (!has_next.ok()) return has_next.status();
    if (!*has_next) break;
    const auto at = ScheduledTimeOfKey(rows.key());
    if (!at) return DamagedKey();
    if (count == kScheduledRowsMax || page.messages.size() == listing.messages_max ||
        bytes >= listing.bytes_max) {
      page.next = at;
      break;
    }
    if (at->number < listing.floor) continue;
    const Result<bool> is_there = AddTo(page, view, listing, *at);
    if (!is_there.ok()) return is_there.status();
    if (*is_there) bytes += ShownBytesOf(*page.messages.back(), {}, listing.bodies);
  }
  return page;
}

}  // namespace wharf

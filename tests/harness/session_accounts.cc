#include "tests/harness/session_accounts.h"

#include <map>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/message_rows.h"
#include "broker/schema/records.h"
#include "broker/schema/span_view.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

using Place = std::pair<std::string, SequenceNumber>;

class Accountant {
 public:
  Accountant(const StoreView& view, const QueueSnapshot& queue)
      : view_(view),
        entity_(queue.record.id),
        shelf_(entity_, LaneKind::kMain, queue.main.generation),
        dead_letters_(ShelfRange({entity_, LaneKind::kDeadLetter, queue.dead_letter.generation})) {
    ReadOrder();
    ReadSessions();
  }

  std::string Find(const LaneCounters& counters) {
    CheckMessages();
    CheckOffers();
    CheckStates(counters.session_state_bytes);
    return wrong_;
  }

 private:
  // Every shelf: none but the current one may have rows. Dead letters are in no session; those of a
  // partitioned queue have rows of their own.
  void ReadOrder() {
    const auto rows = view_.Scan(IdOf(Table::kOrder), EntityRange(entity_));
    for (; rows->valid(); rows->Next()) {
      if (rows->key() >= dead_letters_.begin && rows->key() < dead_letters_.end) continue;
      const auto place = MessageOfOrderKey(rows->key());
      if (rows->key() != OrderKey(shelf_, place->session, place->number)) {
        wrong_ += "an order row stands on another shelf; ";
      }
      order_.emplace(Place(place->session, place->number), *DecodeOrder(rows->value()));
    }
  }

  void ReadSessions() {
    const auto rows = view_.Scan(IdOf(Table::kSessions), EntityRange(entity_));
    for (; rows->valid(); rows->Next()) {
      sessions_.emplace(*SessionOfKey(rows->key()), *DecodeSession(rows->value()));
    }
  }

  bool IsHeld(const std::string& session) const {
    const auto row = sessions_.find(session);
    return row != sessions_.end() && !row->second.token.is_zero();
  }

  void CheckMessages() {
    std::map<Place, Standing> left = order_;
    StandingLookup standings(view_, shelf_, SequenceNumber());
    const auto rows = view_.Scan(IdOf(Table::kMessages), MessageRange(shelf_, SequenceNumber()));
    for (; rows->valid(); rows->Next()) {
      const SequenceNumber number = *NumberOfMessageKey(rows->key());
      const std::string session = DecodeMessage(number, rows->value())->facts.session_id;
      const Standing standing = standings.Find(number)->standing;
      if (session.empty()) wrong_ += fmt::format("{} is in no session; ", number.value());
      if (standing == Standing::kLocked) {
        if (!IsHeld(session)) wrong_ += fmt::format("nobody holds {}; ", number.value());
      } else if (standing != Standing::kDeferred && standing != Standing::kQuarantined) {
        CheckWaiting({session, number}, standing, left);
      }
    }
    for (const auto& [place, standing] : left) {
      wrong_ += fmt::format("an order row of {} has no message; ", place.second.value());
    }
  }

  void CheckWaiting(const Place& place, Standing standing, std::map<Place, Standing>& left) {
    const auto row = left.find(place);
    const bool is_right = row != left.end() && row->second == standing;
    if (!is_right) wrong_ += fmt::format("{} has no order row; ", place.second.value());
    if (row != left.end()) left.erase(row);
    const auto session = sessions_.find(place.first);
    if (session != sessions_.end() && place.second <= session->second.expired_through) {
      wrong_ += fmt::format("{} has expired with its session and waits; ", place.second.value());
    }
  }

  // Each session that nobody holds and that has something to deliver has an offer at or below it.
  void CheckOffers() {
    std::map<std::string, SequenceNumber> lowest;
    const auto rows = view_.Scan(IdOf(Table::kSessionsReady), EntityRange(entity_));
    for (; rows->valid(); rows->Next()) {
      const auto offer = OfferOfKey(rows->key());
      if (rows->key() != OfferKey(shelf_, offer->number, offer->session)) {
        wrong_ += "an offer stands on another shelf; ";
      }
      lowest.emplace(offer->session, offer->number);
    }
    std::optional<std::string> seen;
    for (const auto& [place, standing] : order_) {
      const bool is_first = seen != place.first;
      seen = place.first;
      if (!is_first || standing == Standing::kDelayed || IsHeld(place.first)) continue;
      const auto offer = lowest.find(place.first);
      if (offer == lowest.end() || offer->second > place.second) {
        wrong_ += fmt::format("{} can be delivered and is not offered; ", place.second.value());
      }
    }
  }

  void CheckStates(std::int64_t counted) {
    std::int64_t bytes = 0;
    const auto rows = view_.Scan(IdOf(Table::kSessionState), EntityRange(entity_));
    for (; rows->valid(); rows->Next()) {
      bytes += static_cast<std::int64_t>(DecodeSessionState(rows->value())->bytes.size());
    }
    if (bytes != counted) {
      wrong_ += fmt::format("states have {} bytes, {} are counted; ", bytes, counted);
    }
  }

  const StoreView& view_;
  const EntityId entity_;
  const Shelf shelf_;
  const KeyRange dead_letters_;
  std::map<Place, Standing> order_;
  std::map<std::string, SessionRow> sessions_;
  std::string wrong_;
};

}  // namespace

std::string FindWrongSessions(const Store& store, const QueueSnapshot& queue) {
  const SpanView view(store.View());
  return Accountant(view, queue).Find(queue.main);
}

}  // namespace wharf

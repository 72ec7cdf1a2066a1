#include "broker/reading/recount/message_recount.h"

#include <string>
#include <utility>

#include "broker/reading/recount/order_recount.h"

namespace wharf {

MessageRecount::MessageRecount(const RecountPage& page, SequenceNumber number, MessageRow message,
                               FoundStandings standings)
    : page_(page),
      lane_(page.lane),
      number_(number),
      message_(std::move(message)),
      standings_(std::move(standings)) {}

Status MessageRecount::Count() {
  const bool is_quarantined = standings_.is_quarantined();
  if (message_.is_there && !message_.is_readable) {
    if (!is_quarantined) ++lane_.messages_unreadable;
    message_.facts = standings_.facts;
  }
  DropUnreadable();
  if (!message_.is_there && !is_quarantined) return DropWithoutMessage();
  ++lane_.messages;
  // One in quarantine may have no other row.
  const MessageFacts& known = message_.is_there ? message_.facts : standings_.facts;
  lane_.counts.bytes += known.size;
  if (known.body_ref) ++lane_.counts.separate_bodies;
  DropAllButTheFirst();
  if (is_quarantined) {
    ++lane_.counts.quarantined;
    return {};
  }
  const Result<bool> was_unheld = DropIfUnheld();
  if (!was_unheld.ok()) return was_unheld.status();
  const Standing standing = TakeStanding(*was_unheld || !standings_.unreadable.empty());
  ++lane_.counts.of(standing);
  if (standing == Standing::kFresh && !lane_.lowest_fresh) lane_.lowest_fresh = number_;
  return OrderRecount::Check(page_, number_, message_.facts, standing);
}

void MessageRecount::DropUnreadable() {
  for (const Standing standing : standings_.unreadable) Drop(standing);
  lane_.rows_unreadable += static_cast<std::int64_t>(standings_.unreadable.size());
}

Status MessageRecount::DropWithoutMessage() {
  for (const Standing standing : standings_.readable) Drop(standing);
  std::int64_t& rows =
      lane_.spans.Covers(number_) ? lane_.rows_covered : lane_.rows_without_message;
  rows += static_cast<std::int64_t>(standings_.readable.size());
  return {};
}

void MessageRecount::DropAllButTheFirst() {
  std::vector<Standing>& readable = standings_.readable;
  for (; readable.size() > 1; readable.pop_back()) {
    Drop(readable.back());
    ++lane_.rows_too_many;
  }
}

// A lock in a session is held with the session.
Result<bool> MessageRecount::DropIfUnheld() {
  std::vector<Standing>& readable = standings_.readable;
  const std::string& session = message_.facts.session_id;
  const bool is_locked = !readable.empty() && readable.front() == Standing::kLocked;
  if (!is_locked || !lane_.has_sessions || session.empty()) return false;
  const Result<bool> is_held = IsHeld(page_, session);
  if (!is_held.ok() || *is_held) return is_held.ok() ? Result<bool>(false) : is_held.status();
  Drop(Standing::kLocked);
  readable.clear();
  ++lane_.rows_too_many;
  return true;
}

// One that has lost its row is available again, as is one without a row where each has one.
Standing MessageRecount::TakeStanding(bool lost_its_row) {
  if (!standings_.readable.empty()) return standings_.readable.front();
  if (!lost_its_row && lane_.shelf.kind != LaneKind::kDeadLetter) return Standing::kFresh;
  ++lane_.rows_missing;
  page_.Mend({RowMend::Kind::kReturn, number_, Standing::kReturned, std::string(), message_.facts});
  return Standing::kReturned;
}

}  // namespace wharf

#include "broker/reading/recount/order_recount.h"

#include "broker/schema/keys.h"
#include "broker/schema/message_rows.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

bool WaitsInOrder(Standing standing, const MessageFacts& facts) {
  if (facts.ordering_key().empty()) return false;
  return standing == Standing::kFresh || standing == Standing::kReturned ||
         (standing == Standing::kDelayed && !facts.track);
}

}  // namespace

Status OrderRecount::Check(const RecountPage& page, SequenceNumber number,
                           const MessageFacts& facts, Standing standing) {
  if (!WaitsInOrder(standing, facts)) return {};
  const std::string key(facts.ordering_key());
  const auto row = page.view.Get(IdOf(Table::kOrder), OrderKey(page.lane.shelf, key, number));
  if (!row.ok() && !row.status().is_damage()) return row.status();
  const bool is_there = row.ok() && *row;
  if (is_there) ++page.lane.order_of_messages;
  const Result<Standing> told = is_there ? DecodeOrder(**row) : Result<Standing>(Standing::kLocked);
  if (told.ok() && *told == standing) return {};
  ++page.lane.order_wrong;
  page.Mend({RowMend::Kind::kPutOrder, number, standing, key});
  return {};
}

Status OrderRecount::Take(std::string_view key, std::string_view value) {
  const auto place = MessageOfOrderKey(key);
  if (!place) return DamagedKey();
  ++page_.lane.order_rows;
  const Result<Standing> standing = DecodeOrder(value);
  WHARF_RETURN_IF_ERROR(CountLost(place->number, standing));
  if (page_.mends == nullptr) return {};
  return Mend(place->session, place->number, standing);
}

// A message that cannot be read, and of which only its row in `order` tells that it waits.
Status OrderRecount::CountLost(SequenceNumber number, const Result<Standing>& standing) {
  RecountedLane& lane = page_.lane;
  if (lane.damage_noted[RecountedLane::kOfMessages] == SequenceNumber()) return {};
  const auto record = page_.view.Get(IdOf(Table::kMessages), MessageKey(lane.shelf, number));
  if (!record.status().is_damage()) return record.status();
  const Result<Standing> stands = StandingOf(page_.view, lane.shelf, number);
  if (!stands.ok() || *stands != Standing::kFresh) return stands.status();
  ++lane.messages;
  ++lane.messages_unreadable;
  ++lane.order_of_messages;
  ++lane.counts.of(standing.ok() ? *standing : Standing::kFresh);
  return {};
}

// Rows that messages need were put right before; what has no message, or one that stands elsewhere,
// goes. One that cannot be read stays: a receiver will come to it, and then it is put into
// quarantine.
Status OrderRecount::Mend(const std::string& session, SequenceNumber number,
                          const Result<Standing>& standing) {
  const Result<MessageRow> message = ToMessageRow(
      number, page_.view.Get(IdOf(Table::kMessages), MessageKey(page_.lane.shelf, number)));
  if (!message.ok()) return message.status();
  if (message->is_there && !message->is_readable) return {};
  const Result<bool> is_right = IsRight(*message, session, number, standing);
  if (!is_right.ok()) return is_right.status();
  if (*is_right) return Offer(session, number, *standing);
  page_.Mend({RowMend::Kind::kDropOrder, number, Standing::kFresh, session});
  return {};
}

Result<bool> OrderRecount::IsRight(const MessageRow& message, const std::string& session,
                                   SequenceNumber number, const Result<Standing>& standing) const {
  const Result<Standing> stands = StandingOf(page_.view, page_.lane.shelf, number);
  if (!stands.ok()) return stands.status();
  return message.is_there && standing.ok() && *stands == *standing &&
         message.facts.ordering_key() == session && WaitsInOrder(*standing, message.facts);
}

// The first that waits in a session is offered: an offer too many is found out.
Status OrderRecount::Offer(const std::string& session, SequenceNumber number, Standing standing) {
  if (!page_.lane.has_sessions || offered_ == session) return {};
  offered_ = session;
  const Result<bool> is_held = IsHeld(page_, session);
  if (!is_held.ok()) return is_held.status();
  if (!*is_held && standing != Standing::kDelayed) {
    page_.Mend({RowMend::Kind::kOffer, number, standing, session});
  }
  return {};
}

}  // namespace wharf

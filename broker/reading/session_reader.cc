#include "broker/reading/session_reader.h"

#include <iterator>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include "absl/container/btree_set.h"
#include "broker/reading/careful_reader.h"
#include "broker/reading/message_reader.h"
#include "broker/schema/key_walk.h"
#include "broker/schema/keys.h"
#include "broker/schema/message_rows.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

Status Missing(SequenceNumber number) {
  return Status::Damage(
      fmt::format("message {} waits in its order and is not in the store", number.value()));
}

// Walks the messages of a session, or of all, in the order of ids and numbers.
class OrderCursor {
 public:
  OrderCursor(const StoreView& view, const Shelf& shelf, const KeyRange& range)
      : view_(view), shelf_(shelf), rows_(view.Scan(IdOf(Table::kOrder), range)) {}

  bool valid() const { return rows_->valid(); }
  void Next() { rows_->Next(); }
  Status status() const { return rows_->status(); }

  Result<SequenceNumber> number() const {
    const auto message = MessageOfOrderKey(rows_->key());
    if (!message) return DamagedKey();
    return message->number;
  }

  // The message, with its standing.
  Result<FoundMessage> message(Bodies bodies) const {
    const Result<SequenceNumber> its_number = number();
    if (!its_number.ok()) return its_number.status();
    const Result<Standing> standing = DecodeOrder(rows_->value());
    if (!standing.ok()) return standing.status();
    FoundMessage found;
    found.standing = *standing;
    if (*standing != Standing::kFresh) {
      WHARF_RETURN_IF_ERROR(ReadStanding(*its_number, found));
    }
    const auto record = view_.Get(IdOf(Table::kMessages), MessageKey(shelf_, *its_number));
    if (!record.ok()) return record.status();
    if (!*record) return Missing(*its_number);
    Result<MessagePtr> message = ToMessage(view_, *its_number, **record, bodies);
    if (!message.ok()) return message.status();
    found.message = *std::move(message);
    return found;
  }

 private:
  Status ReadStanding(SequenceNumber number, FoundMessage& found) const {
    const auto record =
        view_.Get(IdOf(Table::kDelivery), DeliveryKey(shelf_, found.standing, number));
    if (!record.ok()) return record.status();
    if (!*record) return Missing(number);
    Result<StandingRow> row = DecodeStanding(found.standing, number, **record);
    if (!row.ok()) return row.status();
    found.delivery = std::move(row->delivery);
    found.available_at = row->available_at;
    return {};
  }

  const StoreView& view_;
  const Shelf shelf_;
  std::unique_ptr<StoreCursor> rows_;
};

WaitingMessage ToWaiting(FoundMessage found) {
  const SequenceNumber number = found.message->number;
  return {number, std::move(found.delivery), found.message->facts, found.standing,
          std::move(found.message)};
}

Result<SessionReadBatch> ReadWaiting(const StoreView& view, const Shelf& shelf,
                                     const ReadSession& read) {
  SessionBatch batch{read.from, kNumberEnd, {}};
  std::size_t bytes = 0;
  OrderCursor rows(view, shelf, OrderRange(shelf, read.session, read.from));
  for (; rows.valid(); rows.Next()) {
    if (batch.messages.size() == read.messages_max || bytes >= read.bytes_max) {
      batch.covered = batch.messages.back().number.Next();
      break;
    }
    Result<FoundMessage> found = rows.message(Bodies::kLoad);
    if (!found.ok()) return found.status();
    bytes += static_cast<std::size_t>(found->message->facts.held_size());
    batch.messages.push_back(ToWaiting(*std::move(found)));
  }
  WHARF_RETURN_IF_ERROR(rows.status());
  return SessionReadBatch(std::move(batch));
}

}  // namespace

Result<SessionReadBatch> ReadSessionWindow(const StoreView& view, const Shelf& shelf,
                                           const SessionRead& read) {
  if (const auto* waiting = std::get_if<ReadSession>(&read)) {
    Result<SessionReadBatch> batch = ReadWaiting(view, shelf, *waiting);
    if (!batch.status().is_damage()) return batch;
    Result<SessionBatch> careful = ReadSessionCarefully(view, shelf, *waiting);
    if (!careful.ok()) return careful.status();
    return SessionReadBatch(*std::move(careful));
  }
  Result<ContentBatch> batch = ReadContentOf(view, shelf, std::get<ReadContent>(read));
  if (!batch.ok()) return batch.status();
  return SessionReadBatch(*std::move(batch));
}

namespace {

Result<OfferBatch> ReadOfferRows(const StoreView& view, const Shelf& shelf,
                                 const ReadOffers& read) {
  OfferBatch batch{read.from, {kNumberEnd, std::string()}, {}};
  const auto rows = view.Scan(IdOf(Table::kSessionsReady),
                              OfferRange(shelf, read.from.number, read.from.session));
  for (; rows->valid(); rows->Next()) {
    std::optional<OrderedMessage> offer = OfferOfKey(rows->key());
    if (!offer) return DamagedKey();
    if (batch.offers.size() == read.offers_max) {
      batch.covered = {offer->number, std::move(offer->session)};
      break;
    }
    batch.offers.push_back({offer->number, std::move(offer->session)});
  }
  WHARF_RETURN_IF_ERROR(rows->status());
  return batch;
}

// Each session of the shelf where its first message waits: an offer too many is withdrawn by the
// receiver that takes it up. One seek a session; without damage nobody does it.
Status AddFirstMessages(const StoreView& view, const Shelf& shelf, const ReadOffers& read,
                        absl::btree_set<OfferPlace>& offers) {
  KeyWalk rows(view, Table::kOrder, OrderRange(shelf, std::nullopt));
  for (;;) {
    const Result<bool> has_next = rows.HasNext();
    if (!has_next.ok()) return has_next.status();
    if (!*has_next) return {};
    std::optional<OrderedMessage> first = MessageOfOrderKey(rows.key());
    if (!first) return DamagedKey();
    KeyRange behind = OrderRange(shelf, first->session);
    OfferPlace place{first->number, std::move(first->session)};
    if (place >= read.from) offers.insert(std::move(place));
    if (offers.size() > read.offers_max + 1) offers.erase(std::prev(offers.end()));
    rows.Seek(std::move(behind.begin));
  }
}

Result<OfferBatch> ReadOffersCarefully(const StoreView& view, const Shelf& shelf,
                                       const ReadOffers& read) {
  absl::btree_set<OfferPlace> offers;
  KeyWalk rows(view, Table::kSessionsReady, OfferRange(shelf, read.from.number, read.from.session));
  for (; offers.size() <= read.offers_max; rows.Next()) {
    const Result<bool> has_next = rows.HasNext();
    if (!has_next.ok()) return has_next.status();
    if (!*has_next) break;
    std::optional<OrderedMessage> offer = OfferOfKey(rows.key());
    if (!offer) return DamagedKey();
    offers.insert({offer->number, std::move(offer->session)});
  }
  WHARF_RETURN_IF_ERROR(AddFirstMessages(view, shelf, read, offers));
  OfferBatch batch{read.from, {kNumberEnd, std::string()}, {}, /*lost_some=*/true};
  for (const OfferPlace& each : offers) {
    if (batch.offers.size() == read.offers_max) {
      batch.covered = each;
      break;
    }
    batch.offers.push_back(each);
  }
  return batch;
}

}  // namespace

Result<OfferBatch> ReadSessionOffers(const StoreView& view, const Shelf& shelf,
                                     const ReadOffers& read) {
  Result<OfferBatch> batch = ReadOfferRows(view, shelf, read);
  return batch.status().is_damage() ? ReadOffersCarefully(view, shelf, read) : std::move(batch);
}

namespace {

Result<ExpiredPage> ReadExpiredCarefully(const StoreView& view, const Shelf& shelf,
                                         const std::string& session, SequenceNumber from,
                                         SequenceNumber through, std::size_t messages_max) {
  constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();
  Result<SessionBatch> batch =
      ReadSessionCarefully(view, shelf, {session, from, messages_max, kUnbounded});
  if (!batch.ok()) return batch.status();
  ExpiredPage page;
  if (batch->covered <= through) page.next = batch->covered;
  for (WaitingMessage& each : batch->messages) {
    if (each.number > through) continue;
    page.messages.push_back({each.standing, std::move(each.delivery), std::move(each.message)});
  }
  for (UnreadableMessage& each : batch->unreadable) {
    if (each.number > through) continue;
    each.facts.session_id = session;
    page.unreadable.push_back(std::move(each));
  }
  return page;
}

Result<ExpiredPage> ReadExpired(const StoreView& view, const Shelf& shelf,
                                const std::string& session, SequenceNumber from,
                                SequenceNumber through, std::size_t messages_max) {
  ExpiredPage page;
  OrderCursor rows(view, shelf, OrderRange(shelf, session, from));
  for (; rows.valid(); rows.Next()) {
    const Result<SequenceNumber> number = rows.number();
    if (!number.ok()) return number.status();
    if (*number > through) break;
    if (page.messages.size() == messages_max) {
      page.next = *number;
      break;
    }
    Result<FoundMessage> found = rows.message(Bodies::kLeave);
    if (!found.ok()) return found.status();
    page.messages.push_back(*std::move(found));
  }
  WHARF_RETURN_IF_ERROR(rows.status());
  return page;
}

}  // namespace

Result<ExpiredPage> ReadExpiredOfSession(const StoreView& view, const Shelf& shelf,
                                         const std::string& session, SequenceNumber from,
                                         SequenceNumber through, std::size_t messages_max) {
  Result<ExpiredPage> page = ReadExpired(view, shelf, session, from, through, messages_max);
  if (!page.status().is_damage()) return page;
  return ReadExpiredCarefully(view, shelf, session, from, through, messages_max);
}

Result<std::optional<SessionState>> ReadSessionState(const StoreView& view, EntityId entity,
                                                     const std::string& session) {
  const auto record = view.Get(IdOf(Table::kSessionState), SessionKey(entity, session));
  if (!record.ok()) return record.status();
  if (!*record) return std::optional<SessionState>();
  Result<SessionState> state = DecodeSessionState(**record);
  if (!state.ok()) return state.status();
  return std::optional(*std::move(state));
}

Result<std::int64_t> ReadStateBytes(const StoreView& view, EntityId entity,
                                    const std::string& session) {
  const auto state = ReadSessionState(view, entity, session);
  if (!state.ok() && !state.status().is_damage()) return state.status();
  return state.ok() && *state ? static_cast<std::int64_t>((*state)->bytes.size()) : 0;
}

}  // namespace wharf

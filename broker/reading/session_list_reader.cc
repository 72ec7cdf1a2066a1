#include "broker/reading/session_list_reader.h"

#include <algorithm>

#include "broker/schema/key_walk.h"
#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/message_rows.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

// Rows that one page looks at, and messages that are counted of one session.
constexpr std::size_t kListedRowsMax = 20000;
constexpr std::int64_t kCountedMax = 5000;

// Merges three walks in the order of ids: sessions with messages, with state, with a holder.
class SessionPageMaker {
 public:
  SessionPageMaker(const StoreView& view, const SessionListRange& range, const HeldSessions& held)
      : view_(view),
        range_(range),
        order_(view.Scan(IdOf(Table::kOrder), OrderRange(range.shelf, range.after))),
        states_(view, Table::kSessionState, SessionRange(range.shelf.entity, range.after)),
        held_through_(held.through),
        held_(held.by_id.begin()),
        held_end_(held.by_id.end()) {}

  Result<SessionPage> Make() {
    for (;;) {
      Result<std::optional<std::string>> id = Lowest();
      if (!id.ok()) return id.status();
      if (!*id) break;
      if (page_.sessions.size() == range_.count_max || rows_ >= kListedRowsMax) {
        page_.next_after = last_;
        break;
      }
      if (held_through_ && **id > *held_through_) {
        page_.next_after = held_through_;
        break;
      }
      SessionInfo info;
      info.id = **id;
      WHARF_RETURN_IF_ERROR(TakeMessages(info));
      WHARF_RETURN_IF_ERROR(TakeState(info));
      WHARF_RETURN_IF_ERROR(TakeHolder(info));
      last_ = info.id;
      if (IsWanted(info)) page_.sessions.push_back(std::move(info));
    }
    WHARF_RETURN_IF_ERROR(order_->status());
    return std::move(page_);
  }

 private:
  // Nothing at the end of all three.
  Result<std::optional<std::string>> Lowest() {
    std::optional<std::string> lowest;
    const auto consider = [&lowest](std::string id) {
      if (!lowest || id < *lowest) lowest = std::move(id);
    };
    if (order_->valid()) {
      std::optional<OrderedMessage> message = MessageOfOrderKey(order_->key());
      if (!message) return DamagedKey();
      consider(std::move(message->session));
    }
    const Result<bool> has_state = states_.HasNext();
    if (!has_state.ok()) return has_state.status();
    if (*has_state) {
      std::optional<std::string> id = SessionOfKey(states_.key());
      if (!id) return DamagedKey();
      consider(*std::move(id));
    }
    if (held_ != held_end_) consider(held_->first);
    return lowest;
  }

  Status TakeMessages(SessionInfo& info) {
    for (; order_->valid(); order_->Next(), ++rows_) {
      const auto message = MessageOfOrderKey(order_->key());
      if (!message) return DamagedKey();
      if (message->session != info.id) return {};
      if (!info.oldest_number) info.oldest_number = message->number;
      if (info.messages == kCountedMax) {
        info.has_more = true;
        // To the next session.
        order_->Seek(OrderRange(range_.shelf, info.id).begin);
        return {};
      }
      ++info.messages;
    }
    return {};
  }

  Status TakeState(SessionInfo& info) {
    const Result<bool> has_state = states_.HasNext();
    if (!has_state.ok()) return has_state.status();
    if (!*has_state || SessionOfKey(states_.key()) != info.id) return {};
    const Result<SessionState> state = DecodeSessionState(states_.value());
    if (state.ok()) {
      info.state_updated_at = state->updated_at;
      info.state_bytes = static_cast<std::int64_t>(state->bytes.size());
    }
    states_.Next();
    ++rows_;
    return {};
  }

  Status TakeHolder(SessionInfo& info) {
    if (held_ != held_end_ && held_->first == info.id) {
      const HeldSession& held = held_->second;
      info.locked_until = held.until;
      info.locked_since = held.since;
      info.holder = held.holder;
      info.messages += held.in_flight;
      if (held.lowest && (!info.oldest_number || *held.lowest < *info.oldest_number)) {
        info.oldest_number = held.lowest;
      }
      ++held_;
    }
    if (!info.oldest_number) return {};
    // A locked message may be settled by now.
    const auto record =
        view_.Get(IdOf(Table::kMessages), MessageKey(range_.shelf, *info.oldest_number));
    if (!record.ok() && !record.status().is_damage()) return record.status();
    if (!record.ok() || !*record) return {};
    const Result<StoredMessage> message = DecodeMessage(*info.oldest_number, **record);
    if (message.ok()) info.oldest_enqueued_at = message->enqueued_at;
    return {};
  }

  bool IsWanted(const SessionInfo& info) const {
    if (!range_.state_updated_since) return true;
    return info.state_updated_at && *info.state_updated_at >= *range_.state_updated_since;
  }

  const StoreView& view_;
  const SessionListRange& range_;
  std::unique_ptr<StoreCursor> order_;
  // Past what cannot be read: those sessions are listed for their messages or their holder.
  KeyWalk states_;
  const std::optional<std::string>& held_through_;
  std::map<std::string, HeldSession>::const_iterator held_;
  const std::map<std::string, HeldSession>::const_iterator held_end_;
  SessionPage page_;
  std::optional<std::string> last_;
  std::size_t rows_ = 0;
};

}  // namespace

Result<SessionPage> ReadSessionPage(const StoreView& view, const SessionListRange& range,
                                    const HeldSessions& held) {
  return SessionPageMaker(view, range, held).Make();
}

Result<DepthPage> ReadSessionDepths(
    const StoreView& view, const Shelf& shelf,
    const std::optional<std::pair<std::string, SequenceNumber>>& from, std::size_t rows_max) {
  DepthPage page;
  KeyRange range = ShelfRange(shelf);
  if (from) range.begin = OrderKey(shelf, from->first, from->second);
  const auto rows = view.Scan(IdOf(Table::kOrder), range);
  for (std::size_t count = 0; rows->valid(); rows->Next(), ++count) {
    std::optional<OrderedMessage> message = MessageOfOrderKey(rows->key());
    if (!message) return DamagedKey();
    if (count == rows_max) {
      page.next = {std::move(message->session), message->number};
      break;
    }
    if (page.depths.empty() || page.depths.back().session != message->session) {
      page.depths.push_back({std::move(message->session), 0});
    }
    ++page.depths.back().messages;
  }
  WHARF_RETURN_IF_ERROR(rows->status());
  return page;
}

}  // namespace wharf

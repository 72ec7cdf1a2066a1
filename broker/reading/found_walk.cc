#include "broker/reading/found_walk.h"

#include <utility>
#include <vector>

#include "broker/reading/message_reader.h"
#include "broker/schema/keys.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

// Behind damage so many are looked up together.
constexpr std::size_t kLookedUpTogether = 32;

}  // namespace

FoundWalk::FoundWalk(const StoreView& view, const Shelf& shelf, SequenceNumber from,
                     SequenceNumber until)
    : view_(view),
      shelf_(shelf),
      until_(until),
      rows_(view, IdOf(Table::kMessages), MessageRange(shelf, from, until), Bodies::kLeave),
      standings_(view, shelf, from),
      next_(from) {}

Result<std::optional<FoundMessage>> FoundWalk::Next() {
  if (!numbers_) {
    Result<std::optional<FoundMessage>> found = NextRow();
    if (!found.status().is_damage()) return found;
    numbers_.reset(new NumberWalk(
        NumberWalk::OfMessages(view_, shelf_, next_, until_, NumberWalk::InDamage::kPass)));
  }
  return NextByNumber();
}

Result<std::optional<FoundMessage>> FoundWalk::NextRow() {
  if (!rows_.valid()) {
    WHARF_RETURN_IF_ERROR(rows_.status());
    return std::optional<FoundMessage>();
  }
  const Result<SequenceNumber> number = rows_.number();
  if (!number.ok()) return number.status();
  Result<MessagePtr> message = rows_.message();
  if (!message.ok()) return message.status();
  Result<StandingRow> row = standings_.Find(*number);
  if (!row.ok()) return row.status();
  rows_.Next();
  next_ = number->Next();
  return std::optional(FoundMessage{row->standing, std::move(row->delivery), *std::move(message),
                                    row->available_at, std::move(row->unreadable)});
}

Result<std::optional<FoundMessage>> FoundWalk::NextByNumber() {
  if (looked_up_.empty()) WHARF_RETURN_IF_ERROR(LookUp());
  if (looked_up_.empty()) return std::optional<FoundMessage>();
  FoundMessage found = std::move(looked_up_.front());
  looked_up_.pop_front();
  return std::optional(std::move(found));
}

Status FoundWalk::LookUp() {
  std::vector<SequenceNumber> wanted;
  while (wanted.size() < kLookedUpTogether) {
    const std::optional<SequenceNumber> number = numbers_->Next();
    if (!number) break;
    wanted.push_back(*number);
  }
  WHARF_RETURN_IF_ERROR(numbers_->status());
  Result<FoundMessages> found = ReadFound(view_, shelf_, wanted, /*with_bodies=*/false);
  if (!found.ok()) return found.status();
  for (const SequenceNumber number : wanted) {
    auto& each = found->at(number);
    if (each) looked_up_.push_back(*std::move(each));
  }
  return {};
}

}  // namespace wharf

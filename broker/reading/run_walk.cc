#include "broker/reading/run_walk.h"

#include <iterator>
#include <utility>

#include "broker/schema/keys.h"
#include "broker/schema/tables.h"

namespace wharf {

RunWalk::RunWalk(const StoreView& view, const SharedHint& shared, Timestamp now,
                 const DueBounds& bounds, const RunLimits& limits)
    : view_(view),
      shared_(shared),
      now_(now),
      bounds_(bounds),
      rows_(view.Scan(IdOf(Table::kMessages),
                      MessageRange(shared.hint.lane, shared.hint.number, shared.end))),
      standings_(view, shared.hint.lane, shared.hint.number),
      run_{.limits = limits} {}

Result<ExpiredMessages> RunWalk::Run() {
  for (; rows_->valid() && !is_over_; rows_->Next()) WHARF_RETURN_IF_ERROR(Look());
  WHARF_RETURN_IF_ERROR(rows_->status());
  CloseRun();
  return std::move(read_);
}

bool RunWalk::is_full() const {
  const bool is_walked =
      read_.walked.rows >= bounds_.walked.rows || read_.walked.bytes >= bounds_.walked.bytes;
  const bool is_brought = read_.messages.size() + members_.size() >= bounds_.messages ||
                          bytes_ >= bounds_.bytes || read_.runs.size() >= bounds_.runs;
  return read_.walked.rows > 0 && (is_walked || is_brought);
}

// In the order in which they came, of those that are meant none expires before the last.
Status RunWalk::Look() {
  const auto number = NumberOfMessageKey(rows_->key());
  if (!number) return DamagedKey();
  const Result<MessageHead> head = DecodeMessageHead(*number, rows_->value());
  if (!head.ok()) return head.status();
  if (is_full()) {
    Leave(*number, shared_.hint.time);
    return {};
  }
  ++read_.walked.rows;
  read_.walked.bytes += rows_->value().size();
  if (head->enqueued_at > shared_.came_until) {
    is_over_ = true;
  } else if (IsMeant(shared_, *number, *head) && head->expires_at > now_) {
    Leave(*number, TimeOfRest(shared_, head->expires_at, now_, bounds_.grain));
  } else if (IsMeant(shared_, *number, *head)) {
    return Take(*number, *head);
  }
  return {};
}

// One in quarantine is met by a receiver.
Status RunWalk::Take(SequenceNumber number, const MessageHead& head) {
  Result<StandingRow> row = standings_.Find(number);
  if (!row.ok()) return row.status();
  const bool is_plain = !head.has_own_rows && !head.is_in_session;
  if (row->standing == Standing::kFresh && is_plain) return AddToRun(number, head.size);
  if (row->standing == Standing::kQuarantined) return {};
  Result<FoundMessage> found = Found(number, *std::move(row));
  if (!found.ok()) return found.status();
  bytes_ += static_cast<std::size_t>(found->message->facts.held_size());
  read_.messages.push_back(*std::move(found));
  return {};
}

// Of what stands between two neighbours it is not known whether it is there.
Status RunWalk::AddToRun(SequenceNumber number, std::int64_t size) {
  if (!run_.Extend(number, size, MessageRun::Between::kUnknown)) {
    CloseRun();
    run_.Extend(number, size, MessageRun::Between::kUnknown);
  }
  if (run_.count > run_.limits.count_min) return {};
  if (run_.count == run_.limits.count_min) {
    members_.clear();
    return {};
  }
  Result<FoundMessage> found = Found(number, {});
  if (!found.ok()) return found.status();
  members_.push_back(*std::move(found));
  return {};
}

void RunWalk::CloseRun() {
  MessageRun closed = std::exchange(run_, MessageRun{.limits = run_.limits});
  if (closed.count >= run_.limits.count_min) {
    read_.runs.push_back(std::move(closed));
    return;
  }
  for (FoundMessage& found : std::exchange(members_, {})) {
    bytes_ += static_cast<std::size_t>(found.message->facts.held_size());
    read_.messages.push_back(std::move(found));
  }
}

Result<FoundMessage> RunWalk::Found(SequenceNumber number, StandingRow row) const {
  Result<MessagePtr> message = ToMessage(view_, number, rows_->value(), Bodies::kLeave);
  if (!message.ok()) return message.status();
  return FoundMessage{row.standing, std::move(row.delivery), *std::move(message), row.available_at,
                      std::move(row.unreadable)};
}

// From this one on, at that time.
void RunWalk::Leave(SequenceNumber number, Timestamp time) {
  read_.rest = shared_;
  read_.rest->hint.number = number;
  read_.rest->hint.time = time;
  is_over_ = true;
}

}  // namespace wharf

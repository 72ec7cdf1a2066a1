#include "tools/crash/history/line_ledger.h"

#include <utility>

#include <absl/strings/numbers.h>

namespace wharf::crash {

LineLedger::LineLedger(std::vector<std::string> lines)
    : lines_(std::move(lines)), acknowledged_(lines_.size()), received_(lines_.size()) {
  totals_.lines = lines_.size();
}

v1::Message LineLedger::MakeMessage(std::size_t line) const {
  v1::Message message;
  message.set_message_id(std::to_string(line + 1));
  message.set_body(lines_[line]);
  return message;
}

std::vector<std::size_t> LineLedger::Unacknowledged() {
  MutexLock lock(mutex_);
  std::vector<std::size_t> lines;
  for (std::size_t line = 0; line < lines_.size(); ++line) {
    if (!acknowledged_[line]) lines.push_back(line);
  }
  return lines;
}

void LineLedger::NoteSent() {
  MutexLock lock(mutex_);
  ++totals_.sent;
}

void LineLedger::NoteAcknowledged(std::size_t line) {
  MutexLock lock(mutex_);
  acknowledged_[line] = true;
  ++totals_.acknowledged;
}

void LineLedger::NoteReceived(const v1::ReceivedMessage& received) {
  MutexLock lock(mutex_);
  ++totals_.received;
  if (completed_.contains(received.sequence_number())) ++totals_.came_back;
  std::size_t number = 0;
  const bool is_line = absl::SimpleAtoi(received.message().message_id(), &number) && number > 0 &&
                       number <= lines_.size();
  if (!is_line || lines_[number - 1] != received.message().body()) {
    ++totals_.damaged;
    return;
  }
  if (received_[number - 1]) ++totals_.duplicates;
  received_[number - 1] = true;
}

void LineLedger::NoteCompleted(std::int64_t sequence_number) {
  MutexLock lock(mutex_);
  completed_.insert(sequence_number);
}

LineLedger::Totals LineLedger::totals() {
  MutexLock lock(mutex_);
  Totals totals = totals_;
  for (std::size_t line = 0; line < lines_.size(); ++line) {
    if (acknowledged_[line] && !received_[line]) ++totals.lost;
  }
  return totals;
}

}  // namespace wharf::crash

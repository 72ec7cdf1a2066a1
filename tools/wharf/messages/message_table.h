// MessageTable: messages that are looked at, a line for each: a table, or JSON.
//
// Used by the commands that list messages, on the main thread.
#pragma once

#include "tools/wharf/program.h"
#include "tools/wharf/terminal/table.h"
#include "tools/wharf/text/time_text.h"

namespace wharf::tool {

// What the table shows besides what it always does.
struct MessageTableStyle {
  enum class Time { kEnqueued, kScheduled };

  Time time = Time::kEnqueued;
  // Why each was dead-lettered.
  bool has_reason = false;
  TimeDigits digits = TimeDigits::kToTheSecond;
};

class MessageTable {
 public:
  MessageTable(Program& program, MessageTableStyle style);

  void Print(const v1::ReceivedMessage& message);
  // After the last message.
  void End();

 private:
  Program& program_;
  const MessageTableStyle style_;
  Table table_;
};

// A peek shows no body over 1 MiB.
bool IsBodyLeftOut(const v1::ReceivedMessage& message);

// --precise.
void AddPreciseFlag(CLI::App& command, TimeDigits& digits);

// Peeks page by page and prints what comes, at most `messages_max`, or all if that is 0; how many.
// Ends the table if all went well.
Result<std::uint64_t> PeekPages(Program& program, v1::PeekRequest request,
                                std::uint64_t messages_max, MessageTable& table);

}  // namespace wharf::tool

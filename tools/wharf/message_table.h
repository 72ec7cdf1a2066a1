// MessageTable: messages that are looked at, a line for each: a table, or JSON.
//
// Used by the commands that list messages, on the main thread.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

class MessageTable {
 public:
  enum class Time { kEnqueued, kScheduled };

  // Prints the header of a table.
  MessageTable(Program& program, Time time);

  void Print(const v1::ReceivedMessage& message) const;

 private:
  Program& program_;
  const Time time_;
};

// Peeks page by page and prints what comes, at most `messages_max`, or all if that is 0; how many.
Result<std::uint64_t> PeekPages(Program& program, v1::PeekRequest request,
                                std::uint64_t messages_max, const MessageTable& table);

}  // namespace wharf::tool

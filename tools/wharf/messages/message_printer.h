// MessagePrinter: received messages on stdout: bodies, or JSON.
//
// A program that reads gets the body and a line feed, or with --raw nothing else. A person at a
// terminal sees before each body the message's number and properties, and nothing of what others
// wrote reaches the terminal as more than visible characters. Used by `wharf receive`, on the main
// thread.
#pragma once

#include "tools/wharf/program.h"
#include "tools/wharf/terminal/paced_output.h"

namespace wharf::tool {

struct PrintStyle {
  bool is_json = false;
  // Bodies exactly as they are, without a line feed behind each.
  bool is_raw = false;
  // The lock token before each body.
  bool shows_tokens = false;
  // For people.
  bool is_terminal = false;
};

class MessagePrinter {
 public:
  explicit MessagePrinter(PrintStyle style) : style_(style) {}

  void Print(const v1::ReceivedMessage& message, PacedOutput& out) const;

 private:
  std::string TextForPeople(const v1::ReceivedMessage& message) const;

  const PrintStyle style_;
};

// "7  enqueued 2026-01-31T12:00:00Z  subject=greeting  count=5": what there is to say of a message
// besides its body, printable.
std::string Headline(const v1::ReceivedMessage& message);

}  // namespace wharf::tool

// MessagePrinter: received messages on stdout: bodies, or JSON.
//
// Used by `wharf receive`, on the main thread.
#pragma once

#include <vector>

#include "tools/wharf/program.h"

namespace wharf::tool {

struct PrintStyle {
  bool is_json = false;
  // Bodies exactly as they are, without a line feed behind each.
  bool is_raw = false;
  // The lock token before each body.
  bool shows_tokens = false;
};

class MessagePrinter {
 public:
  MessagePrinter(Output& out, PrintStyle style) : out_(out), style_(style) {}

  // False if they could not be written, now or before: whoever reads us is gone.
  template <typename Messages>
  bool Print(const Messages& messages) {
    for (const v1::ReceivedMessage& message : messages) PrintOne(message);
    return out_.Flush();
  }

 private:
  void PrintOne(const v1::ReceivedMessage& message) const;

  Output& out_;
  const PrintStyle style_;
};

}  // namespace wharf::tool

#include "tools/wharf/message_printer.h"

#include <cstdio>

#include <fmt/core.h>

#include "tools/wharf/lock_token_text.h"
#include "tools/wharf/message_json.h"

namespace wharf::tool {

void MessagePrinter::PrintOne(const v1::ReceivedMessage& message) const {
  if (is_broken_) return;
  if (style_.is_json) return PrintJson(ToJson(message));
  if (style_.shows_tokens && !message.lock_token().empty()) {
    fmt::print("{}  ", FormatLockToken(message.lock_token()));
  }
  const std::string& body = message.message().body();
  std::fwrite(body.data(), 1, body.size(), stdout);
  if (!style_.is_raw) std::fputc('\n', stdout);
}

bool MessagePrinter::Flush() {
  if (std::fflush(stdout) != 0) is_broken_ = true;
  return !is_broken_;
}

}  // namespace wharf::tool

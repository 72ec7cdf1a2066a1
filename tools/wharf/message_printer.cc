#include "tools/wharf/message_printer.h"

#include "tools/wharf/lock_token_text.h"
#include "tools/wharf/message_json.h"

namespace wharf::tool {

void MessagePrinter::PrintOne(const v1::ReceivedMessage& message) const {
  if (style_.is_json) return out_.PrintJson(ToJson(message));
  if (style_.shows_tokens && !message.lock_token().empty()) {
    out_.Print("{}  ", FormatLockToken(message.lock_token()));
  }
  out_.Write(message.message().body());
  if (!style_.is_raw) out_.Write("\n");
}

}  // namespace wharf::tool

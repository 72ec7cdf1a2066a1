#include "broker/trace/span.h"

namespace wharf::trace {

std::size_t BytesOf(const Span& span) {
  return sizeof(span) + span.parent.state.size() + span.entity.size() + span.message_id.size() +
         span.error_message.size();
}

}  // namespace wharf::trace

// A page of scheduled messages.

#include "broker/doors/common/page_token.h"
#include "broker/doors/grpc/convert/convert.h"

namespace wharf {

void ToProto(const ScheduledPage& page, v1::ListScheduledMessagesResponse* proto) {
  for (const MessagePtr& message : page.messages) {
    PeekedMessage peeked{.message = message, .is_scheduled = true};
    const auto unreadable = page.unreadable.find(message->number);
    if (unreadable != page.unreadable.end()) peeked.unreadable = unreadable->second;
    ToProto(peeked, proto->add_messages());
  }
  if (page.next) proto->set_next_page_token(PageTokenOf(*page.next));
}

}  // namespace wharf

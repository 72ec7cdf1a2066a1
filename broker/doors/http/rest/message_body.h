// MessageBody: the bytes of a message's body, as a reader over HTTP gets them, who knows of no
// sections: of data what is in it, of a value of AMQP that is text or bytes those. What else AMQP
// can say stays as it was encoded. Pure function.
#pragma once

#include <string>

#include "broker/core/messages/message.h"

namespace wharf::rest {

std::string PlainBodyOf(const Message& message);

}  // namespace wharf::rest

// Refusal: the sentence with which one end of a stream ends it, and what the other makes of it.
#pragma once

#include <string_view>

#include "replication/peers/streams/framed_stream.h"
#include "storage/base/status.h"

namespace wharf {

// Says it as the last word; the stream has no user any more.
void Refuse(FramedStream& stream, const Status& why);

// What the other end said, short and printable, whatever it was.
Status RefusedWith(std::string_view payload);

}  // namespace wharf

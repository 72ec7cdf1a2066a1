// Any request: what somebody sent to Service Bus over HTTP, whatever it is, as text. Used by the
// fuzzers and by a test that has their first seeds.
#pragma once

#include <string_view>

namespace wharf {

// "METHOD /path?query", lines "Name: value", an empty line, a body. What it names is found, what it
// sends is read, and answered to a receiver; what is written then can stand in an answer, and is
// read again as the same. Aborts if it is not.
void TryAnyRequest(std::string_view text);

// What a client says over a WebSocket carries the same wherever its bytes are cut, and no more than
// there is. Aborts if not.
void TryAnyFrames(std::string_view bytes);

}  // namespace wharf

// Frames that a peer may say, one of each kind, for those who spoil or repeat them.
#pragma once

#include <string>
#include <vector>

namespace wharf::amqp {

// In an order in which they make sense, from begin to close; on channel 0, of handles 0 (the peer
// sends) and 1 (it receives).
std::vector<std::string> SampleFrames();
// A header, an open and a begin; and both links, if wanted.
std::string SampleStream(bool has_links);

}  // namespace wharf::amqp

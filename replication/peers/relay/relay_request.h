// RelayRequest: what a node says first that brings a client of its own to the node that leads,
// instead of a hello.
//
//   request = fields                       ; fields.h; of the frame kRelay
//     1 hello                              who dials, and whom it means (admission/hello.h)
//     2 door, 3 address of the client      relayed_client.h
//     4 whether it is on that machine      1: it is
//
// Plain values.
#pragma once

#include <string>
#include <string_view>

#include "replication/peers/admission/hello.h"
#include "replication/peers/relay/relayed_client.h"
#include "storage/base/status.h"

namespace wharf {

// Of each of its texts.
inline constexpr std::size_t kRelayTextBytesMax = 128;

struct RelayRequest {
  Hello hello{};
  RelayedClient client{};

  friend bool operator==(const RelayRequest&, const RelayRequest&) = default;
};

std::string Encode(const RelayRequest& request);
Result<RelayRequest> DecodeRelayRequest(std::string_view bytes);

}  // namespace wharf

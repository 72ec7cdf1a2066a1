// Body: the bytes that a message carries, and what is remembered of them.
//
//   body   = client:u32 counter:u32 checksum:u32 filler   (little-endian; cut off where too long)
//   filler = bytes that depend on client and counter, or records of a log; `checksum` is their
//            CRC-32
//
// Made by whoever sends, looked at by whoever receives; plain functions for any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tools/crash/history/message_id.h"

namespace wharf::crash {

// Two bodies with the same digest are taken for equal.
struct BodyDigest {
  std::size_t size = 0;
  std::uint32_t checksum = 0;

  friend bool operator==(const BodyDigest&, const BodyDigest&) = default;
};

std::string MakeBody(const MessageId& id, std::size_t size);
BodyDigest DigestOf(std::string_view body);

}  // namespace wharf::crash

// ItemScan: how much memory the messages within a request will take, seen in its bytes before they
// are made: an empty one is two bytes on the wire and hundreds in memory.
//
// Plain function; used where requests are parsed, on gRPC's threads.
#pragma once

#include <cstddef>

#include <google/protobuf/descriptor.h>
#include <grpcpp/support/byte_buffer.h>

namespace wharf {

// More than all items that any request may hold, and much less than all that fit into its bytes.
inline constexpr std::size_t kItemBytesMax = std::size_t{32} << 20;
// Shorter ones cannot make much.
inline constexpr std::size_t kScannedBytesMin = std::size_t{16} << 10;

// Whether the items of such a request are more than that. Of what is damaged: as far as it can be
// read. Costs a look at each item; what is in one is passed over, unless it can hold lists, too.
bool HasTooManyItems(grpc::ByteBuffer& bytes, const google::protobuf::Descriptor& type);

}  // namespace wharf

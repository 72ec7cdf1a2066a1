// ValueNode: an encoded value of AMQP as a tree that can be changed anywhere: what says how long
// something is, or how many, is made anew when it is written.
//
// Plain values and pure functions; any bytes are a sequence of such trees.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wharf::amqp {

struct ValueNode {
  // 0xff, which is no format code: bytes that are no value.
  std::uint8_t code = 0xff;
  // Behind the format code and the size, if there is one. An array is not taken apart.
  std::string bytes{};
  // Of a list or a map its elements; of a described value its descriptor, and what it describes.
  std::vector<ValueNode> children{};

  bool is_compound() const { return code >> 4 == 0xc || code >> 4 == 0xd; }
  // Of a value whose bytes are so many, whatever they are.
  bool is_fixed() const { return code >> 4 >= 4 && code >> 4 <= 9; }
};

// The first values of the bytes, up to what is none, which is the last one.
std::vector<ValueNode> ReadNodes(std::string_view bytes);
std::string Written(const std::vector<ValueNode>& nodes);

}  // namespace wharf::amqp

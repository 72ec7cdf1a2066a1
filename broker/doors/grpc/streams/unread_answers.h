// UnreadAnswers: how many bytes of answers a stream may owe its client, with those to come, of
// which the size is not known yet.
//
// A refusal tells the same of each item of a request, so it may be many times as long as the
// request was. A stream with more of them reads no further request, and flow control holds back a
// client that does not read its answers. Plain numbers; used by both streams.
#pragma once

#include <cstddef>

namespace wharf {

inline constexpr std::size_t kUnreadAnswerBytesMax = std::size_t{8} << 20;
// A little more than an error of usual length.
inline constexpr std::size_t kItemAnswerBytes = 512;

// Of the answer to a request that has so many items, and repeats so many bytes of it.
constexpr std::size_t ExpectedAnswerBytes(std::size_t repeated_bytes, std::size_t items) {
  return repeated_bytes + items * kItemAnswerBytes;
}

}  // namespace wharf

// Payload: bodies for measurements, which no compression makes smaller.
//
// Slices of one block of random bytes. Constant after construction; any thread may ask.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace wharf::tool {

class Payload {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Payload(std::size_t body_size);

  // The body of the message with this number: it begins with `sent_at` if that fits in.
  void Fill(std::uint64_t number, Time sent_at, std::string& body) const;
  // The time in a body made by Fill in this process.
  static std::optional<Time> SentAt(const std::string& body);

 private:
  const std::size_t body_size_;
  std::string block_;
};

}  // namespace wharf::tool

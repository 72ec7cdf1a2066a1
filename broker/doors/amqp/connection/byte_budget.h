// ByteBudget: how many bytes of messages one connection may have in memory: of those that are not
// whole yet, and of those that the broker has not answered.
//
// Shared by all links of the connection; used on its strand.
#pragma once

#include <cstddef>

namespace wharf::amqp {

class ByteBudget {
 public:
  explicit ByteBudget(std::size_t max) : max_(max) {}

  // False: that would be more than there may be, and nothing is taken.
  bool Take(std::size_t bytes) {
    if (taken_ + bytes > max_) return false;
    taken_ += bytes;
    return true;
  }
  // Also beyond; whoever does it stops when it is full.
  void TakeAnyway(std::size_t bytes) { taken_ += bytes; }
  bool is_full() const { return taken_ >= max_; }
  void GiveBack(std::size_t bytes) { taken_ -= bytes; }
  std::size_t taken() const { return taken_; }

 private:
  const std::size_t max_;
  std::size_t taken_ = 0;
};

// Taken of a budget for as long as this lives; the budget outlives it.
class HeldBytes {
 public:
  HeldBytes(ByteBudget& budget, std::size_t bytes) : budget_(budget), bytes_(bytes) {
    budget_.TakeAnyway(bytes_);
  }
  ~HeldBytes() { budget_.GiveBack(bytes_); }
  HeldBytes(const HeldBytes&) = delete;
  HeldBytes& operator=(const HeldBytes&) = delete;

 private:
  ByteBudget& budget_;
  const std::size_t bytes_;
};

}  // namespace wharf::amqp

// ByteBudget: how many bytes one connection may have in memory of messages that are not whole yet.
//
// Shared by all that put messages together on the connection; used on its strand.
#pragma once

#include <cstddef>

namespace wharf::amqp {

class ByteBudget {
 public:
  explicit ByteBudget(std::size_t max) : max_(max) {}

  // False: that would be more than there may be, and nothing is taken.
  bool Take(std::size_t bytes) {
    if (bytes > max_ - taken_) return false;
    taken_ += bytes;
    return true;
  }
  void GiveBack(std::size_t bytes) { taken_ -= bytes; }
  std::size_t taken() const { return taken_; }

 private:
  const std::size_t max_;
  std::size_t taken_ = 0;
};

}  // namespace wharf::amqp

// Walks: pages that operations of one connection ask for, so many at a time; the others wait, each
// in its turn. A walk over many pages that finds little would else take as much of the connection
// as there is, and nothing would be read. Owned by ManagementNode, on the strand of the connection.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <utility>

namespace wharf::amqp {

class Walks {
 public:
  // Asks for a page, and calls Leave when it is there; now or later.
  void Enter(std::function<void()> ask) {
    waiting_.push_back(std::move(ask));
    Run();
  }
  void Leave() {
    --under_way_;
    Run();
  }

 private:
  static constexpr std::size_t kPagesMax = 2;

  // One that leaves at once lets the next one in from here, however many wait.
  void Run() {
    if (std::exchange(is_running_, true)) return;
    while (under_way_ < kPagesMax && !waiting_.empty()) {
      const std::function<void()> ask = std::move(waiting_.front());
      waiting_.pop_front();
      ++under_way_;
      ask();
    }
    is_running_ = false;
  }

  // By credit: each is of a request that is not answered.
  std::deque<std::function<void()>> waiting_;
  std::size_t under_way_ = 0;
  bool is_running_ = false;
};

}  // namespace wharf::amqp

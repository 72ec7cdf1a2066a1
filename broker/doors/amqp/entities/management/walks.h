// Walks: pages that operations of one connection ask for, so many at a time; the others wait, each
// in its turn. A walk over many pages that finds little would else take as much of the connection
// as there is, and nothing would be read. Owned by ManagementNode; those of browsers, which keep
// their turn until their page is sent, by BrokerLinks. On the strand of the connection.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <utility>

namespace wharf::amqp {

class Walks {
 public:
  Walks() : Walks(2) {}
  explicit Walks(std::size_t pages_max) : pages_max_(pages_max) {}

  // Asks for a page, and calls Leave when it is there; now or later. `who`: see GiveUp.
  void Enter(std::function<void()> ask, const void* who = nullptr) {
    waiting_.push_back({std::move(ask), who});
    Run();
  }
  // It waits no more: else what comes and goes would wait in any number.
  void GiveUp(const void* who) {
    std::erase_if(waiting_, [who](const Waiting& each) { return each.who == who; });
  }
  void Leave() {
    --under_way_;
    Run();
  }

 private:
  struct Waiting {
    std::function<void()> ask;
    const void* who;
  };

  // One that leaves at once lets the next one in from here, however many wait.
  void Run() {
    if (std::exchange(is_running_, true)) return;
    while (under_way_ < pages_max_ && !waiting_.empty()) {
      const std::function<void()> ask = std::move(waiting_.front().ask);
      waiting_.pop_front();
      ++under_way_;
      ask();
    }
    is_running_ = false;
  }

  const std::size_t pages_max_;
  // By credit: each is of a request that is not answered.
  std::deque<Waiting> waiting_;
  std::size_t under_way_ = 0;
  bool is_running_ = false;
};

}  // namespace wharf::amqp

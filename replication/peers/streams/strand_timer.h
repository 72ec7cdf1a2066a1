// StrandTimer: calls something once, later; never after it was cancelled, set anew or destroyed.
//
// Asio's own timer may call all the same, if its time has come and the call is on its way. Used on
// the strand of the peers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "storage/base/time.h"

namespace wharf {

class StrandTimer {
 public:
  explicit StrandTimer(const boost::asio::any_io_executor& strand)
      : state_(std::make_shared<State>(strand)) {}
  ~StrandTimer() { Cancel(); }
  StrandTimer(const StrandTimer&) = delete;
  StrandTimer& operator=(const StrandTimer&) = delete;

  void After(Duration time, std::function<void()> work) {
    Cancel();
    state_->timer.expires_after(time);
    state_->timer.async_wait([state = state_, turn = state_->turn,
                              work = std::move(work)](const boost::system::error_code& cancelled) {
      if (!cancelled && state->turn == turn) work();
    });
  }

  void Cancel() {
    ++state_->turn;
    state_->timer.cancel();
  }

  // Expires with the timer; for what else may be called too late.
  std::weak_ptr<const void> token() const { return token_; }

 private:
  struct State {
    explicit State(const boost::asio::any_io_executor& strand) : timer(strand) {}
    boost::asio::steady_timer timer;
    std::uint64_t turn = 0;
  };

  const std::shared_ptr<State> state_;
  const std::shared_ptr<const void> token_ = std::make_shared<char>();
};

}  // namespace wharf

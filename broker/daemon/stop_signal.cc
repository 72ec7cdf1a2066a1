#include "broker/daemon/stop_signal.h"

#include <csignal>
#include <utility>

#include <boost/asio/post.hpp>

namespace wharf {

StopSignal::StopSignal() : signals_(io_, SIGTERM, SIGINT) {
  signals_.async_wait([this](const boost::system::error_code& error, int) {
    if (!error) io_.stop();
  });
}

void StopSignal::OnClosed(Status reason) {
  boost::asio::post(io_, [this, reason = std::move(reason)] {
    failure_ = reason;
    io_.stop();
  });
}

Status StopSignal::Wait() {
  io_.run();
  return failure_;
}

}  // namespace wharf

#include "broker/daemon/process/stop_signal.h"

#include <csignal>
#include <string_view>
#include <utility>

#include <boost/asio/post.hpp>
#include <spdlog/spdlog.h>

#include "storage/base/log_limit.h"

namespace wharf {
namespace {

// Of a signal that means nothing.
constexpr Duration kLinesEvery = std::chrono::seconds(10);

std::string_view NameOf(int signal) {
  if (signal == SIGHUP) return "HUP";
  return signal == SIGUSR1 ? "USR1" : "USR2";
}

}  // namespace

void IgnoreSignals() {
  for (const int signal : {SIGHUP, SIGUSR1, SIGUSR2, SIGPIPE}) std::signal(signal, SIG_IGN);
}

void StopSignal::Begin() {
  ++broker_;
  io_.restart();
  reload_ = nullptr;
  failure_ = {};
  begins_again_ = false;
  if (stops_) return;
  stops_.emplace(io_, SIGTERM, SIGINT);
  stops_->async_wait([this](const boost::system::error_code& error, int) {
    if (error) return;
    begins_again_ = false;
    has_come_ = true;
    io_.stop();
  });
  others_.emplace(io_, SIGHUP, SIGUSR1, SIGUSR2);
  ListenToOthers();
}

bool StopSignal::HasCome() {
  reload_ = nullptr;
  io_.restart();
  io_.poll();
  return has_come_;
}

void StopSignal::ListenToOthers() {
  others_->async_wait([this](const boost::system::error_code& error, int signal) {
    if (error) return;
    OnOther(signal);
    ListenToOthers();
  });
}

void StopSignal::OnOther(int signal) {
  static LogLimit limit(kLinesEvery);
  if (signal == SIGHUP && reload_) return reload_();
  if (const auto unsaid = limit.Admit()) {
    spdlog::info("signal {}: there is nothing to reload, wharfd goes on{}", NameOf(signal),
                 Unsaid(*unsaid));
  }
}

void StopSignal::OnClosed(Status reason) {
  Post([this, reason = std::move(reason)] { failure_ = reason; });
}

void StopSignal::OnReopen() {
  Post([this] { begins_again_ = true; });
}

void StopSignal::Post(std::function<void()> note) {
  boost::asio::post(io_, [this, of = broker_, note = std::move(note)] {
    if (of != broker_) return;
    note();
    io_.stop();
  });
}

Status StopSignal::Wait() {
  io_.run();
  return failure_;
}

}  // namespace wharf

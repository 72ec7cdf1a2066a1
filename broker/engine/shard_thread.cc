#include "broker/engine/shard_thread.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <ctime>
#include <optional>
#include <system_error>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <sys/timerfd.h>
#include <unistd.h>

#include "storage/base/this_thread.h"

namespace wharf {
namespace {

int MakeTimer() {
  const int timer = ::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
  if (timer < 0) throw std::system_error(errno, std::generic_category(), "timerfd_create");
  return timer;
}

// Nothing: never. A time that has passed is rung for at once.
void SetTimer(int timer, std::optional<Duration> until) {
  itimerspec spec{};
  if (until) {
    const Duration wait = std::max(*until, Duration(1));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait);
    spec.it_value.tv_sec = seconds.count();
    spec.it_value.tv_nsec = std::chrono::nanoseconds(wait - seconds).count();
  }
  [[maybe_unused]] const int set = ::timerfd_settime(timer, 0, &spec, nullptr);
  assert(set == 0);
}

// Whether it rang, and was not set anew since.
bool HasRung(int timer) {
  std::uint64_t times = 0;
  return ::read(timer, &times, sizeof(times)) == sizeof(times);
}

}  // namespace

struct ShardThread::Context {
  boost::asio::io_context io{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard{
      boost::asio::make_work_guard(io)};
  boost::asio::posix::stream_descriptor timer{io, MakeTimer()};
};

ShardThread::ShardThread(Clock& clock)
    : clock_(clock), context_(std::make_unique<Context>()), thread_([this] {
        NameThisThread("wharf:shard");
        AwaitAlarm();
        context_->io.run();
      }) {}

ShardThread::~ShardThread() { Join(); }

void ShardThread::Join() {
  if (!thread_.joinable()) return;
  Post([this] {
    is_ending_ = true;
    context_->timer.cancel();
  });
  context_->guard.reset();
  thread_.join();
}

void ShardThread::WakeAtAlarm(std::function<void()> on_alarm) { on_alarm_ = std::move(on_alarm); }

void ShardThread::Post(Work work) {
  boost::asio::post(context_->io, [work = std::move(work)]() mutable { std::move(work)(); });
}

// A timer is only set anew when the time asked for has changed: most turns do not change it.
void ShardThread::Set(Timestamp time) {
  if (time == alarm_ || is_ending_) return;
  alarm_ = time;
  const int timer = context_->timer.native_handle();
  SetTimer(timer, time == kNever ? std::nullopt : std::optional(time - clock_.Now()));
}

void ShardThread::AwaitAlarm() {
  using boost::asio::posix::stream_descriptor;
  context_->timer.async_wait(stream_descriptor::wait_read,
                             [this](const boost::system::error_code& error) {
                               if (error || is_ending_) return;
                               if (HasRung(context_->timer.native_handle())) {
                                 alarm_ = kNever;
                                 on_alarm_();
                               }
                               AwaitAlarm();
                             });
}

}  // namespace wharf

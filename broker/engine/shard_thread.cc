#include "broker/engine/shard_thread.h"

#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

namespace wharf {

struct ShardThread::Context {
  boost::asio::io_context io{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard{
      boost::asio::make_work_guard(io)};
  boost::asio::steady_timer timer{io};
};

ShardThread::ShardThread(Clock& clock)
    : clock_(clock),
      context_(std::make_unique<Context>()),
      thread_([this] { context_->io.run(); }) {}

ShardThread::~ShardThread() { Join(); }

void ShardThread::Join() {
  if (!thread_.joinable()) return;
  Post([this] {
    Set(kNever);
    is_ending_ = true;
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
  if (time == kNever) {
    context_->timer.cancel();
    return;
  }
  context_->timer.expires_after(std::max(time - clock_.Now(), Duration(0)));
  context_->timer.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    alarm_ = kNever;
    on_alarm_();
  });
}

struct ReaderThreads::Pool {
  explicit Pool(std::size_t count) : threads(count) {}
  boost::asio::thread_pool threads;
};

ReaderThreads::ReaderThreads(std::size_t count) : pool_(std::make_unique<Pool>(count)) {}

ReaderThreads::~ReaderThreads() { Stop(); }

void ReaderThreads::Stop() {
  pool_->threads.stop();
  pool_->threads.join();
}

void ReaderThreads::Post(Work work) {
  boost::asio::post(pool_->threads, [work = std::move(work)]() mutable { std::move(work)(); });
}

}  // namespace wharf

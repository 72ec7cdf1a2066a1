#include "broker/daemon/thread_pool.h"

#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

namespace wharf {

struct ThreadPool::Pool {
  explicit Pool(std::size_t count) : threads(count) {}
  boost::asio::thread_pool threads;
};

ThreadPool::ThreadPool(std::size_t count) : pool_(std::make_unique<Pool>(count)) {}

ThreadPool::~ThreadPool() { Stop(); }

void ThreadPool::Stop() {
  pool_->threads.stop();
  pool_->threads.join();
}

void ThreadPool::Post(Work work) {
  boost::asio::post(pool_->threads, [work = std::move(work)]() mutable { std::move(work)(); });
}

}  // namespace wharf

#include "broker/reading/reader_threads.h"

#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

namespace wharf {

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

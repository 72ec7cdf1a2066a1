#include "broker/daemon/process/thread_pool.h"

#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include "storage/base/this_thread.h"

namespace wharf {

struct ThreadPool::Pool {
  boost::asio::thread_pool work{0};  // Its threads are ours, so that they can say who they are.
  std::vector<std::thread> threads;
};

ThreadPool::ThreadPool(const char* name, std::size_t count, Rank rank)
    : pool_(std::make_unique<Pool>()) {
  try {
    for (std::size_t i = 0; i < count; ++i) {
      pool_->threads.emplace_back([work = &pool_->work, name, rank] {
        NameThisThread(name);
        if (rank == Rank::kLow) RankThisThreadLow();
        work->attach();
      });
    }
  } catch (...) {
    // The system refused one: those that there are end before what they work at goes.
    Stop();
    throw;
  }
}

ThreadPool::~ThreadPool() { Stop(); }

void ThreadPool::Stop() {
  pool_->work.stop();
  for (std::thread& thread : pool_->threads) {
    if (thread.joinable()) thread.join();
  }
}

void ThreadPool::Post(Work work) {
  boost::asio::post(pool_->work, [work = std::move(work)]() mutable { std::move(work)(); });
}

}  // namespace wharf

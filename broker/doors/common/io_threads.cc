#include "broker/doors/common/io_threads.h"

#include <utility>

namespace wharf {

IoThreads::IoThreads(std::size_t count, std::function<void(Loop&)> run)
    : loop_(static_cast<int>(count)),
      guard_(boost::asio::make_work_guard(loop_)),
      run_(std::move(run)) {
  try {
    for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this] { run_(loop_); });
  } catch (...) {
    Join();
    throw;
  }
}

void IoThreads::Join() {
  guard_.reset();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace wharf

// IoThreads: the loop that a door's connections live on, and the threads that run it.
//
// Made by an HttpServer and an AmqpServer, as their last member: its threads end before what they
// look at goes, also where the system refuses one of them.
#pragma once

#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace wharf {

class IoThreads {
 public:
  using Loop = boost::asio::io_context;

  // Each thread calls `run`, which runs the loop until it has nothing left.
  explicit IoThreads(
      std::size_t count, std::function<void(Loop&)> run = [](Loop& loop) { loop.run(); });
  ~IoThreads() { Join(); }

  Loop& loop() { return loop_; }
  // Until the loop has nothing left.
  void Join();

 private:
  Loop loop_;
  boost::asio::executor_work_guard<Loop::executor_type> guard_;
  const std::function<void(Loop&)> run_;
  std::vector<std::thread> threads_;
};

}  // namespace wharf

// HeardLog: what is logged while it lives, for tests of what an operator is told; nothing is
// printed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <spdlog/sinks/ringbuffer_sink.h>
#include <spdlog/spdlog.h>

namespace wharf {

class HeardLog {
 public:
  HeardLog() {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", sink_));
    spdlog::set_level(spdlog::level::info);
  }
  ~HeardLog() {
    spdlog::set_default_logger(before_);
    spdlog::set_level(level_before_);
  }
  HeardLog(const HeardLog&) = delete;
  HeardLog& operator=(const HeardLog&) = delete;

  std::vector<std::string> lines() const { return sink_->last_formatted(); }

 private:
  static constexpr std::size_t kLinesMax = 1000;

  const spdlog::level::level_enum level_before_ = spdlog::get_level();
  const std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
  const std::shared_ptr<spdlog::sinks::ringbuffer_sink_mt> sink_ =
      std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(kLinesMax);
};

}  // namespace wharf

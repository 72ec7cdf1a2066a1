// QuietLog: keeps the lines that a test provokes on purpose out of its output.
#pragma once

#include <spdlog/spdlog.h>

namespace wharf {

class QuietLog {
 public:
  QuietLog() { spdlog::set_level(spdlog::level::off); }
  ~QuietLog() { spdlog::set_level(before_); }
  QuietLog(const QuietLog&) = delete;
  QuietLog& operator=(const QuietLog&) = delete;

 private:
  const spdlog::level::level_enum before_ = spdlog::get_level();
};

}  // namespace wharf

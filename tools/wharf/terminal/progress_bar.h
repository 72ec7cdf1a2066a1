// ProgressBar: how far long work is, on the error output of a terminal.
//
// Used by one thread. Draws at most ten times a second, nothing in the first half second, and
// nothing at all if the output is not a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "tools/wharf/terminal/output.h"

namespace wharf::tool {

// "[=====>    ] 52%  1,040/2,000  12,345/s", or without the bar where the total is not known.
std::string RenderProgress(std::uint64_t done, std::optional<std::uint64_t> total,
                           std::chrono::duration<double> elapsed);

// 1234567 as "1,234,567".
std::string WithThousands(std::uint64_t number);

class ProgressBar {
 public:
  // `what` stands before the numbers, if it is not empty.
  explicit ProgressBar(std::optional<std::uint64_t> total, const std::string& what = "");
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void Update(std::uint64_t done);

 private:
  using Time = std::chrono::steady_clock::time_point;

  Output out_{stderr};
  const std::string what_;
  const std::optional<std::uint64_t> total_;
  const Time start_;
  Time next_;
  bool is_drawn_ = false;
};

}  // namespace wharf::tool

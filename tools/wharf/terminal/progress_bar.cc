#include "tools/wharf/terminal/progress_bar.h"

#include <algorithm>

#include <fmt/core.h>

#include "tools/wharf/text/printable_text.h"

namespace wharf::tool {
namespace {

constexpr std::size_t kWidth = 30;
constexpr std::chrono::milliseconds kSilence(500);
constexpr std::chrono::milliseconds kPeriod(100);
const std::string kClearLine = "\r\033[K";

std::string Bar(double share) {
  const auto filled = static_cast<std::size_t>(share * kWidth);
  std::string bar(filled, '=');
  if (filled < kWidth) bar += '>';
  bar.resize(kWidth, ' ');
  return bar;
}

}  // namespace

std::string WithThousands(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string RenderProgress(std::uint64_t done, std::optional<std::uint64_t> total,
                           std::chrono::duration<double> elapsed) {
  const double seconds = std::max(elapsed.count(), 0.001);
  const std::string rate = WithThousands(static_cast<std::uint64_t>(done / seconds));
  if (!total.has_value() || *total == 0) return fmt::format("{}  {}/s", WithThousands(done), rate);
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(*total));
  return fmt::format("[{}] {}%  {}/{}  {}/s", Bar(share), static_cast<int>(share * 100),
                     WithThousands(done), WithThousands(*total), rate);
}

ProgressBar::ProgressBar(std::optional<std::uint64_t> total, const std::string& what)
    : what_(what.empty() ? "" : what + "  "),
      total_(total),
      start_(std::chrono::steady_clock::now()),
      next_(start_ + kSilence) {}

ProgressBar::~ProgressBar() {
  if (!is_drawn_) return;
  out_.Write(kClearLine);
  out_.Flush();
}

void ProgressBar::Update(std::uint64_t done) {
  if (!out_.is_terminal()) return;
  const Time now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kPeriod;
  is_drawn_ = true;
  const std::string line = what_ + RenderProgress(done, total_, now - start_);
  // A line that wraps could not be cleared.
  out_.Write(kClearLine + Printable(line, out_.width() - 1));
  out_.Flush();
}

}  // namespace wharf::tool

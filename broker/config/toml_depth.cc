#include "broker/config/toml_depth.h"

#include <algorithm>

namespace wharf::config {
namespace {

// One walk over the signs of a file.
class Scan {
 public:
  Scan(std::string_view text, std::size_t points_max) : text_(text), points_max_(points_max) {}

  std::size_t Run() {
    while (at_ < text_.size()) {
      const char sign = text_[at_];
      if (sign == '"' || sign == '\'') {
        SkipText(sign);
      } else if (sign == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        if (sign == '.' && ++points_ > points_max_) return line_;
        Step();
      }
    }
    return 0;
  }

 private:
  void Step() {
    if (text_[at_++] != '\n') return;
    ++line_;
    points_ = 0;
  }

  bool Follows(std::string_view signs) const { return text_.substr(at_).starts_with(signs); }

  // One of a line ends with it, whether it is closed or not: behind that nothing is read.
  void SkipText(char quote) {
    const char thrice[] = {quote, quote, quote};
    const std::string_view many(thrice, 3);
    const bool is_long = Follows(many);
    const std::string_view end = is_long ? many : many.substr(0, 1);
    at_ += end.size();
    while (at_ < text_.size() && !Follows(end) && (is_long || text_[at_] != '\n')) {
      const bool is_escape = quote == '"' && text_[at_] == '\\';
      Step();
      if (is_escape && at_ < text_.size()) Step();
    }
    if (!Follows(end)) return;
    at_ += end.size();
    // Two quotes more are still of the text.
    for (int more = 0; is_long && more < 2 && Follows(end.substr(0, 1)); ++more) ++at_;
  }

  const std::string_view text_;
  const std::size_t points_max_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t points_ = 0;
};

}  // namespace

std::size_t FindDeepLine(std::string_view text, std::size_t points_max) {
  return Scan(text, points_max).Run();
}

}  // namespace wharf::config

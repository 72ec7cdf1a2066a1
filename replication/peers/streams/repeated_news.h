// RepeatedNews: whether a sentence is worth a line in the log again.
//
// Peers fail in the same way again and again, at each attempt; a sentence is told when it is new,
// and then once a minute. Used on the strand of the peers.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/base/log_limit.h"
#include "storage/base/time.h"

namespace wharf {

class RepeatedNews {
 public:
  explicit RepeatedNews(LogLimit::Now now = SteadyNow) : now_(std::move(now)) {}

  bool IsNews(std::string_view sentence) {
    const Duration now = now_();
    std::erase_if(told_, [now](const Told& told) { return now - told.at >= kAgainAfter; });
    for (const Told& told : told_) {
      if (told.sentence == sentence) return false;
    }
    if (told_.size() >= kToldMax) return false;
    told_.push_back({std::string(sentence), now});
    return true;
  }

 private:
  static constexpr Duration kAgainAfter = std::chrono::minutes(1);
  // Of different ones, in a minute; more of them are noise that somebody makes.
  static constexpr std::size_t kToldMax = 64;

  struct Told {
    std::string sentence;
    Duration at;
  };

  const LogLimit::Now now_;
  std::vector<Told> told_;
};

}  // namespace wharf

#include "broker/config/complaints.h"

#include <utility>

#include <fmt/core.h>

namespace wharf::config {
namespace {

constexpr std::size_t kToldMax = 20;

}  // namespace

void Complaints::Add(std::string sentence) {
  if (++count_ <= kToldMax) sentences_.push_back(std::move(sentence));
}

std::vector<std::string> Complaints::Lines() const {
  std::vector<std::string> lines = sentences_;
  if (count_ > kToldMax) lines.push_back(fmt::format("and {} more", count_ - kToldMax));
  return lines;
}

}  // namespace wharf::config

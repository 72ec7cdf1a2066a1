#include "tools/wharf/bench/payload.h"

#include <cstring>
#include <random>

namespace wharf::tool {
namespace {

// Far apart enough that no compressor sees a slice twice.
constexpr std::size_t kSlices = 8192;
constexpr std::size_t kBlockBytesMax = 16 << 20;

}  // namespace

Payload::Payload(std::size_t body_size) : body_size_(body_size) {
  block_.resize(body_size + std::min(kSlices * body_size, kBlockBytesMax));
  std::mt19937_64 random(5680);
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= block_.size();
       at += sizeof(std::uint64_t)) {
    const std::uint64_t bits = random();
    std::memcpy(block_.data() + at, &bits, sizeof bits);
  }
}

void Payload::Fill(std::uint64_t number, Time sent_at, std::string& body) const {
  const std::size_t slices = body_size_ == 0 ? 1 : block_.size() / body_size_;
  body.assign(block_, (number % slices) * body_size_, body_size_);
  if (body_size_ < sizeof sent_at) return;
  std::memcpy(body.data(), &sent_at, sizeof sent_at);
}

std::optional<Payload::Time> Payload::SentAt(const std::string& body) {
  Time sent_at;
  if (body.size() < sizeof sent_at) return std::nullopt;
  std::memcpy(&sent_at, body.data(), sizeof sent_at);
  return sent_at;
}

}  // namespace wharf::tool

#include "replication/core/core_message.h"

#include <cstddef>
#include <cstdint>

namespace wharf {
namespace {

constexpr std::size_t kLengthBytes = 4;

void PutLength(std::size_t length, std::string& bytes) {
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    bytes.push_back(static_cast<char>(length >> (8 * i)));
  }
}

// Takes pieces off the front.
class Pieces {
 public:
  explicit Pieces(const SharedBytes& bytes) : bytes_(bytes) {}

  bool has_more() const { return at_ < bytes_.size(); }

  std::optional<SharedBytes> Take() {
    if (bytes_.size() - at_ < kLengthBytes) return std::nullopt;
    const std::size_t length = LengthAt(at_);
    at_ += kLengthBytes;
    if (bytes_.size() - at_ < length) return std::nullopt;
    SharedBytes piece = bytes_.Part(at_, length);
    at_ += length;
    return piece;
  }

 private:
  std::size_t LengthAt(std::size_t at) const {
    std::size_t length = 0;
    for (std::size_t i = kLengthBytes; i > 0; --i) {
      length = length << 8 | static_cast<std::uint8_t>(bytes_.view()[at + i - 1]);
    }
    return length;
  }

  const SharedBytes& bytes_;
  std::size_t at_ = 0;
};

}  // namespace

std::string EncodeCoreMessage(const CoreMessage& message) {
  std::size_t size = kLengthBytes + message.words.size();
  for (const SharedBytes& payload : message.payloads) size += kLengthBytes + payload.size();
  std::string bytes;
  bytes.reserve(size + 1);  // A kind may follow (node_message.h).
  PutLength(message.words.size(), bytes);
  bytes.append(message.words);
  for (const SharedBytes& payload : message.payloads) {
    PutLength(payload.size(), bytes);
    bytes.append(payload.view());
  }
  return bytes;
}

std::optional<CoreMessage> DecodeCoreMessage(const SharedBytes& bytes) {
  Pieces pieces(bytes);
  const std::optional<SharedBytes> words = pieces.Take();
  if (!words) return std::nullopt;
  CoreMessage message{words->view(), {}};
  while (pieces.has_more()) {
    std::optional<SharedBytes> payload = pieces.Take();
    if (!payload) return std::nullopt;
    message.payloads.push_back(*std::move(payload));
  }
  return message;
}

}  // namespace wharf

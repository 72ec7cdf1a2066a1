#include "replication/peers/admission/refusal.h"

#include <algorithm>
#include <string>

#include <absl/strings/ascii.h>

namespace wharf {
namespace {

constexpr std::size_t kSentenceBytesMax = 600;

// Our own sentences are all of it.
std::string Printable(std::string_view text) {
  std::string printable(text);
  std::replace_if(
      printable.begin(), printable.end(),
      [](char c) { return !absl::ascii_isprint(static_cast<unsigned char>(c)); }, '?');
  return printable;
}

}  // namespace

void Refuse(FramedStream& stream, const Status& why) {
  stream.Write(FrameKind::kRefusal, std::string_view(why.message()).substr(0, kSentenceBytesMax));
  stream.Finish();
}

Status RefusedWith(std::string_view payload) {
  return {ErrorCode::kForbidden,
          "it refuses this node: " + Printable(payload.substr(0, kSentenceBytesMax))};
}

}  // namespace wharf

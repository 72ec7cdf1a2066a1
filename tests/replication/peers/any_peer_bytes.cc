#include "tests/replication/peers/any_peer_bytes.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "replication/peers/admission/hello.h"
#include "replication/peers/admission/invitation.h"
#include "replication/peers/clock_probe.h"
#include "replication/peers/streams/frame.h"

namespace wharf {
namespace {

constexpr std::size_t kPayloadBytesMax = 4096;

void Require(bool holds) {
  if (!holds) std::abort();
}

struct WasRead {
  std::vector<std::string> payloads;
  std::string end;

  friend bool operator==(const WasRead&, const WasRead&) = default;
};

// How a stream is cut must not matter.
WasRead ReadInPieces(std::string_view bytes, std::size_t piece) {
  FrameReader reader(kPayloadBytesMax);
  WasRead read;
  while (!bytes.empty()) {
    const Status fed = reader.Feed(bytes.substr(0, piece), [&read](Frame frame) {
      Require(frame.payload.size() <= kPayloadBytesMax);
      read.payloads.push_back(std::move(frame.payload));
      return Status();
    });
    if (!fed.ok()) {
      read.end = fed.message();
      break;
    }
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  return read;
}

// What was read can be written, and is the same when it is read again.
void TryHandshakes(std::string_view bytes) {
  if (const auto hello = DecodeHello(bytes); hello.ok()) {
    const bool is_spoken = hello.value().oldest_protocol <= kPeerProtocol;
    if (is_spoken) Require(DecodeHello(Encode(hello.value())).value() == hello.value());
    if (!is_spoken) Require(hello.value().from.name.empty());
  }
  if (const auto invitation = DecodeInvitation(bytes); invitation.ok()) {
    const bool is_spoken = invitation.value().oldest_protocol <= kPeerProtocol;
    Require(invitation.value().members.size() <= kPeersMax);
    if (is_spoken) {
      Require(DecodeInvitation(Encode(invitation.value())).value() == invitation.value());
    }
  }
}

void TryPings(std::string_view bytes) {
  ClockProbe probe;
  const Timestamp now{std::chrono::hours(24 * 365 * 56)};
  const bool is_taken = probe.Take(bytes, std::chrono::hours(1), now);
  Require(probe.Best().has_value() == is_taken);
  if (is_taken) Require(probe.Best()->round_trip >= Duration());
  ClockProbe::PongTo(bytes, now);
}

}  // namespace

void TryAnyPeerBytes(std::string_view bytes) {
  const WasRead whole = ReadInPieces(bytes, bytes.size() + 1);
  const WasRead by_ones = ReadInPieces(bytes, 1);
  const WasRead by_sevens = ReadInPieces(bytes, 7);
  Require(whole.payloads == by_ones.payloads && whole.payloads == by_sevens.payloads);
  // Of bytes that are no peer's the sentence quotes what there was; all else is the same.
  Require(whole.end.empty() == by_ones.end.empty());
  TryHandshakes(bytes);
  TryPings(bytes);
}

}  // namespace wharf

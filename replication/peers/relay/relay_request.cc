#include "replication/peers/relay/relay_request.h"

#include <algorithm>

#include <absl/strings/ascii.h>

#include "replication/peers/fields.h"

namespace wharf {
namespace {

enum Tag : std::uint8_t { kHello = 1, kDoor = 2, kAddress = 3, kIsLocal = 4 };

Status Unreadable() {
  return {ErrorCode::kServiceCommunicationProblem, "the request for a relay cannot be read"};
}

// They come to stand in the log.
bool IsText(const std::string& text) {
  const auto is_graphic = [](char c) {
    return absl::ascii_isprint(static_cast<unsigned char>(c)) != 0;
  };
  return !text.empty() && text.size() <= kRelayTextBytesMax &&
         std::all_of(text.begin(), text.end(), is_graphic);
}

}  // namespace

std::string Encode(const RelayRequest& request) {
  return FieldWriter()
      .Text(kHello, Encode(request.hello))
      .Text(kDoor, request.client.door)
      .Text(kAddress, request.client.address)
      .Number(kIsLocal, request.client.is_local ? 1 : 0)
      .Take();
}

Result<RelayRequest> DecodeRelayRequest(std::string_view bytes) {
  RelayRequest request;
  std::string_view hello;
  const bool is_fields = VisitFields(bytes, [&](std::uint8_t tag, std::string_view value) {
    if (tag == kHello) hello = value;
    if (tag == kDoor) request.client.door = value;
    if (tag == kAddress) request.client.address = value;
    if (tag == kIsLocal) request.client.is_local = NumberIn(value) == 1;
  });
  if (!is_fields || !IsText(request.client.door) || !IsText(request.client.address)) {
    return Unreadable();
  }
  Result<Hello> said = DecodeHello(hello);
  if (!said.ok()) return said.status();
  request.hello = *std::move(said);
  return request;
}

}  // namespace wharf

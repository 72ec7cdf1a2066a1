#include "broker/doors/amqp/endpoint/protocol_header.h"

#include <algorithm>

namespace wharf::amqp {

namespace {

constexpr Protocol kProtocols[] = {Protocol::kAmqp, Protocol::kTls, Protocol::kSasl};

}  // namespace

std::string HeaderOf(Protocol protocol) {
  return {'A', 'M', 'Q', 'P', static_cast<char>(protocol), 1, 0, 0};
}

bool MayBeHeader(std::string_view bytes) {
  return std::any_of(std::begin(kProtocols), std::end(kProtocols), [bytes](Protocol protocol) {
    return HeaderOf(protocol).starts_with(bytes.substr(0, kHeaderBytes));
  });
}

std::optional<Protocol> ProtocolOf(std::string_view header) {
  for (const Protocol protocol : kProtocols) {
    if (header == HeaderOf(protocol)) return protocol;
  }
  return std::nullopt;
}

}  // namespace wharf::amqp

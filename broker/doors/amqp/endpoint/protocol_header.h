// ProtocolHeader: the eight bytes before anything else, "AMQP", a protocol, and version 1.0.0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wharf::amqp {

enum class Protocol : std::uint8_t { kAmqp = 0, kTls = 2, kSasl = 3 };

inline constexpr std::size_t kHeaderBytes = 8;

std::string HeaderOf(Protocol protocol);

// Whether these bytes may become a header of any of the three; seen at the first byte that does not
// fit, for who speaks something else may wait for us.
bool MayBeHeader(std::string_view bytes);

// Nothing if it is none.
std::optional<Protocol> ProtocolOf(std::string_view header);

}  // namespace wharf::amqp

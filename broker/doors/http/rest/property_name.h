// What the name of a property of an application may be over HTTP, where properties are headers
// (USR-1): HTTP itself, and those who pass requests and answers on, have made something of many
// names. Which names come in is another question than which go out. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace wharf::rest {

// What a header of a request that sends is.
enum class HeaderKind : std::uint8_t {
  kProperty,
  // Of the request and not of the message: clients, proxies and browsers write it by themselves.
  kOfRequest,
  // It becomes no property either, and may have been meant for one: who sent it is told.
  kOmitted,
};
// What a client writes by itself is not in double quotes, as texts of properties are (USR-5): where
// it is, a property was meant.
HeaderKind KindOfHeader(std::string_view name, std::string_view value);

// Whether it may be a header of an answer: the name was chosen by a sender, and browsers, proxies
// and clients act on what stands in answers.
bool MayGoOut(std::string_view name);

}  // namespace wharf::rest

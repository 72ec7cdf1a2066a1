// DataRoute: what a request asks of messages, and of which entity: its method, and its path taken
// apart from the right (doors.md 1), because the name of an entity may have '/' in it and even end
// in "messages". Pure function.
//
//   POST             {entity}/messages                a message, or several, are sent
//   POST, DELETE     {entity}/messages/head           the next one is locked, or taken
//   PUT, POST, DELETE  {entity}/messages/{id}/{token}   a lock is given back, renewed; its message
//                                                     is completed
//
// What an entity is called wins over all but POST, which means nothing to one: whoever routes looks
// whether there is one of the whole path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "storage/base/ids.h"

namespace wharf {

enum class DataVerb : std::uint8_t {
  kSend,
  kPeekLock,
  kReceiveAndDelete,
  kComplete,
  kUnlock,
  kRenew,
};
// As statistics name it: "peek-lock".
std::string_view NameOf(DataVerb verb);
inline constexpr std::size_t kDataVerbs = 6;

struct DataRoute {
  DataVerb verb = DataVerb::kSend;
  // As it was written; empty if nothing stood there.
  std::string entity{};
  // Of a settlement. What stands before it names the message, too, and is not looked at: the lock
  // decides.
  LockToken token{};
  // That stood there and is none, as of a URL that was cut: no lock has that. It may as well be an
  // entity that somebody wants to make, if there is a body.
  std::string no_token{};
};

// Nothing: it asks nothing of messages.
std::optional<DataRoute> DataRouteOf(std::string_view method, std::string_view path);

// A lock token, as it stands in a path and in BrokerProperties: a GUID, by the order of bytes that
// SDKs show it in.
std::string TextOf(const LockToken& token);
std::optional<LockToken> LockTokenFrom(std::string_view text);

}  // namespace wharf

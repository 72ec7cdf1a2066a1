#include "broker/daemon/listening/client_relay.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <sys/socket.h>

#include "broker/doors/common/local_peer.h"
#include "broker/doors/common/peer_text.h"

namespace wharf {
namespace {

// As listeners are called, to the other node.
struct DoorName {
  ClientRelay::Door door;
  std::string_view name;
};
constexpr DoorName kNames[] = {{ClientRelay::Door::kAmqp, "amqp"},
                               {ClientRelay::Door::kHttp, "servicebus"},
                               {ClientRelay::Door::kConsole, "console"}};
constexpr std::string_view kTls = "+tls";

std::string_view NameOfDoor(ClientRelay::Door door) {
  return std::find_if(std::begin(kNames), std::end(kNames),
                      [door](const DoorName& known) { return known.door == door; })
      ->name;
}

std::optional<ClientRelay::Door> DoorOfName(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kNames), std::end(kNames),
                   [name](const DoorName& known) { return known.name == name; });
  return found == std::end(kNames) ? std::nullopt : std::optional(found->door);
}

// Nothing: it has gone already.
std::optional<std::string> OtherEnd(const Descriptor& connection) {
  boost::asio::generic::stream_protocol::endpoint end;
  auto size = static_cast<socklen_t>(end.capacity());
  if (::getpeername(connection.get(), end.data(), &size) != 0) return std::nullopt;
  end.resize(size);
  return PeerText(end);
}

}  // namespace

// What could not be brought there is told by this node's own door why.
bool ClientRelay::Bring(ClusterNode& node, Door door, Descriptor& connection, bool has_tls) {
  const std::optional<std::string> address = OtherEnd(connection);
  if (!address) return false;
  std::string name(NameOfDoor(door));
  if (has_tls) name += kTls;
  const auto undone = [this, door, has_tls, client = *address](Descriptor back) {
    static_cast<void>(Enter(door, has_tls, std::move(back), client));
  };
  return node.Relay(
      {.door = std::move(name), .address = *address, .is_local = IsLocalPeerText(*address)},
      connection, undone);
}

// Where nobody has to prove anything, only this machine may come: a client of another one does not
// become one of this by the way on which it comes.
Status ClientRelay::Take(const RelayedClient& client, Descriptor connection) {
  const bool is_asked = world_.guard != nullptr && world_.guard->is_obeyed();
  if (!is_asked && !client.is_local && !world_.is_insecure) {
    return {ErrorCode::kForbidden,
            "access is off here, so clients of other machines are not let in"};
  }
  std::string_view name = client.door;
  const bool has_tls = name.ends_with(kTls);
  if (has_tls) name.remove_suffix(kTls.size());
  const std::optional<Door> door = DoorOfName(name);
  if (!door) {
    return {ErrorCode::kNotImplemented, "this node has no door '" + client.door + "'"};
  }
  return Enter(*door, has_tls, std::move(connection), client.address);
}

Status ClientRelay::Enter(Door door, bool has_tls, Descriptor connection, std::string client) {
  if (door == Door::kAmqp && world_.amqp != nullptr) {
    return world_.amqp->Take(std::move(connection), has_tls, std::move(client));
  }
  if (door == Door::kHttp && world_.http != nullptr) {
    return world_.http->Take(std::move(connection), has_tls, std::move(client));
  }
  if (door == Door::kConsole && world_.console != nullptr) {
    return world_.console->Take(std::move(connection), has_tls, std::move(client));
  }
  return {ErrorCode::kInvalidOperation,
          fmt::format("{} is not listened for here", door == Door::kAmqp ? "AMQP" : "HTTP")};
}

}  // namespace wharf

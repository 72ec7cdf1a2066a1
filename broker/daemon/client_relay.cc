#include "broker/daemon/client_relay.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <sys/socket.h>

#include "broker/doors/common/local_peer.h"
#include "broker/doors/common/peer_text.h"

namespace wharf {
namespace {

constexpr std::string_view kPlainDoor = "amqp";
constexpr std::string_view kTlsDoor = "amqp+tls";

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
bool ClientRelay::Bring(ClusterNode& node, Descriptor& connection, bool has_tls) {
  const std::optional<std::string> address = OtherEnd(connection);
  if (!address) return false;
  RelayedClient client{.door = std::string(has_tls ? kTlsDoor : kPlainDoor),
                       .address = *address,
                       .is_local = IsLocalPeerText(*address)};
  const auto undone = [this, has_tls, client](Descriptor back) {
    static_cast<void>(world_.door.Take(std::move(back), has_tls, client.address));
  };
  return node.Relay(client, connection, undone);
}

// Where nobody has to prove anything, only this machine may come: a client of another one does not
// become one of this by the way on which it comes.
Status ClientRelay::Take(const RelayedClient& client, Descriptor connection) {
  const bool is_asked = world_.guard != nullptr && world_.guard->is_obeyed();
  if (!is_asked && !client.is_local && !world_.is_insecure) {
    return {ErrorCode::kForbidden,
            "access is off here, so clients of other machines are not let in"};
  }
  if (client.door != kPlainDoor && client.door != kTlsDoor) {
    return {ErrorCode::kNotImplemented, "this node has no door '" + client.door + "'"};
  }
  return world_.door.Take(std::move(connection), client.door == kTlsDoor, client.address);
}

}  // namespace wharf

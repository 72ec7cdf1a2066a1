// LinkWorld: what a link to an entity is made with: the broker, the connection that it is on, and
// for whom it asks. Used by SendLink and ReceiveLink.
#pragma once

#include <string>

#include "broker/doors/amqp/connection/door_errors.h"
#include "broker/doors/amqp/connection/entity_links.h"
#include "broker/requests/requests.h"

namespace wharf::amqp {

struct LinkWorld {
  Requests& requests;
  OpenConnection& connection;
  LinkId id;
  // Of the entity, as the client wrote it.
  std::string path;

  // Null when the link is gone.
  Link* link() const { return connection.endpoint().FindLink(id); }
  Caller CallerWith(access::PermitPtr permit) const {
    return {.peer = connection.peer(), .tracking_id = NewTrackingId(), .permit = std::move(permit)};
  }
};

// As the client hears it; the time is that of the machine.
inline Error ErrorOn(const std::string& path, const Status& status, const TrackingId& tracking_id) {
  const auto now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  return ErrorOf(status, {.entity = path, .tracking_id = tracking_id, .at = now});
}

}  // namespace wharf::amqp

// Caller: from where something is asked, for how long the answer is waited for, and under which
// name the request is told of.
//
// A plain value; made by a door for each request, carried by the request until it is answered.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/uuid/uuid.hpp>

#include "broker/access/permit.h"
#include "broker/core/messages/message_event.h"
#include "storage/base/time.h"

namespace wharf {

// Names one request, in errors and in the log.
using TrackingId = boost::uuids::uuid;
// A random one. Any thread.
TrackingId NewTrackingId();
std::string ToString(const TrackingId& id);

// Names a trace of W3C Trace Context, which a client may say that its call belongs to; zeros are
// none.
using TraceId = std::array<std::uint8_t, 16>;
// In lower case, as the log and other tools write it; of none empty.
std::string ToString(const TraceId& id);

struct Caller {
  // Where its connection comes from, which bounds what it may have locked. Empty: the broker
  // itself, or a test.
  std::string peer{};
  // Through which door.
  Door door = Door::kNone;
  // For how long it waits, at most a year; what nobody waits for any more is not begun. Absent: for
  // ever.
  std::optional<Duration> patience{};
  TrackingId tracking_id{};
  TraceId trace_id{};
  // What it has proven; null: nothing, which is enough where nobody has to.
  access::PermitPtr permit{};
  // What else it has proven, for the entities that it forwards to (FWD-6).
  std::vector<access::PermitPtr> forward_permits{};
  // The door asks for itself, about what it did before in the name of a caller who was allowed to:
  // gives back what never reached its client, or reads the rest of what was delivered to it. No
  // permit is looked at.
  bool is_door_itself = false;
  // The door knows that the transaction which is named is its client's: one connection may prove
  // several rules, so it is not looked at which of them began it.
  bool owns_transaction = false;
};

// The same caller, where its door asks for itself.
inline Caller DoorItself(Caller caller) {
  caller.is_door_itself = true;
  return caller;
}

}  // namespace wharf

#include "broker/requests/caller.h"

#include <absl/strings/escaping.h>
#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>

namespace wharf {

TrackingId NewTrackingId() {
  thread_local boost::uuids::random_generator_mt19937 generator;
  return generator();
}

std::string ToString(const TrackingId& id) { return boost::uuids::to_string(id); }

std::string ToString(const TraceId& id) {
  if (id == TraceId()) return {};
  return absl::BytesToHexString({reinterpret_cast<const char*>(id.data()), id.size()});
}

}  // namespace wharf

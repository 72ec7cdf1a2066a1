// PeerWorld: what all streams of one node share. Made by Peers; outlives them; used on its strand.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include "replication/peers/admission/live_processes.h"
#include "replication/peers/admission/peer_admission.h"
#include "replication/peers/admission/peer_security.h"
#include "replication/peers/peer_limits.h"
#include "replication/peers/streams/repeated_news.h"
#include "storage/base/clock.h"
#include "storage/base/random.h"

namespace wharf {

struct PeerWorld {
  // Constant after construction.
  boost::asio::any_io_executor strand;
  PeerLimits limits;
  PeerSecurity security;
  Clock& wall;
  Random& random;
  // What is known now.
  PeerAdmission admission;
  LiveProcesses processes{};
  RepeatedNews news{};
};

}  // namespace wharf

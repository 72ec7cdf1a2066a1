// PeerSecurity: whether peers prove who they are, and where they may go without.
//
// Without certificates anybody who reaches the port is whatever node he says he is, and reads all
// that is replicated. So that must be asked for in so many words, and then reaches no further than
// this machine unless that is asked for, too. Values.
#pragma once

#include <cstdint>
#include <memory>

#include <boost/asio/ip/tcp.hpp>

#include "replication/peers/admission/peer_certificates.h"
#include "storage/base/status.h"

namespace wharf {

// With whom a node without certificates speaks.
enum class PlainPeers : std::uint8_t { kNobody, kThisMachine, kAnywhere };

struct PeerSecurity {
  // Null: none.
  std::shared_ptr<const PeerCertificates> certificates{};
  PlainPeers plain = PlainPeers::kNobody;

  // Whether it may listen there, or dial there.
  Status CheckEndpoint(const boost::asio::ip::tcp::endpoint& endpoint) const;
  // What a stream that begins now proves itself with; null in the clear.
  std::shared_ptr<const PeerCertificates::Content> content() const;
};

}  // namespace wharf

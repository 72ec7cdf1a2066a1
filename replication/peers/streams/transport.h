// Transport: a connection to a peer, in the clear or under TLS, as bytes that come and go.
//
// One read and one write may be under way. Whoever is called back holds on to the transport. Used
// on the strand of the peers, by a FramedStream.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "replication/peers/admission/peer_admission.h"
#include "replication/peers/admission/peer_certificates.h"
#include "storage/base/status.h"

namespace wharf {

// Which end of a connection this is.
enum class End : std::uint8_t { kDialler, kListener };

class Transport {
 public:
  using Done = std::function<void(const boost::system::error_code& error, std::size_t bytes)>;

  virtual ~Transport() = default;

  // Before anything else; with what failed, in a sentence.
  virtual void Begin(End end, std::function<void(Status)> done) = 0;
  virtual void Read(boost::asio::mutable_buffer into, Done done) = 0;
  // All of it.
  virtual void Write(boost::asio::const_buffer bytes, Done done) = 0;
  // Nothing more will be written; what is under way arrives.
  virtual void EndWriting() = 0;
  // For who only waits for the other end to close: of a socket that is closed while something is
  // unread, what was written last may never arrive.
  virtual void ReadAway(boost::asio::mutable_buffer into, Done done) = 0;
  // What is under way fails.
  virtual void Close() = 0;

  // What went wrong with a read or a write, in words.
  virtual std::string Explain(const boost::system::error_code& error) = 0;
  // By which the other end proved who it is; nothing in the clear.
  virtual ProvenName proven_name() = 0;
};

// Takes the socket over. Without certificates it speaks in the clear.
std::unique_ptr<Transport> MakeTransport(
    boost::asio::ip::tcp::socket socket,
    std::shared_ptr<const PeerCertificates::Content> certificates);

}  // namespace wharf

// Dial: one attempt to reach an address: "host:port", "[::1]:5691".
//
// Done is called once, later, unless the Dial is gone by then. An address in numbers asks no
// resolver, and needs no thread. Used on the strand of the peers.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "replication/peers/admission/peer_security.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

class Dial {
 public:
  using Done = std::function<void(Result<boost::asio::ip::tcp::socket>)>;

  Dial(const boost::asio::any_io_executor& strand, const PeerSecurity& security,
       const std::string& address, Duration time_max, Done done);
  ~Dial();
  Dial(const Dial&) = delete;
  Dial& operator=(const Dial&) = delete;

 private:
  struct Attempt;
  const std::shared_ptr<Attempt> attempt_;
};

// Host and port of an address; both empty if it is none.
struct HostAndPort {
  std::string host{};
  std::string port{};
};
HostAndPort SplitAddress(const std::string& address);

}  // namespace wharf

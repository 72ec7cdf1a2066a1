// HttpServer: serves clients over HTTP, on threads of its own.
//
// It takes a bounded number of connections. When there are more, the oldest that waits for nothing
// ends; when all are being answered, the new one. Made by main.cc before the store
// is opened, so that it can tell that the broker is starting; and by the ServiceBusDoor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "broker/doors/common/doorway.h"
#include "broker/doors/common/elsewhere.h"
#include "broker/doors/http/connection.h"
#include "broker/doors/http/host_check.h"
#include "broker/doors/http/router.h"
#include "storage/base/descriptor.h"
#include "storage/base/log_limit.h"
#include "storage/base/time.h"

namespace wharf {

class HttpServer {
 public:
  // `now` tells for how long answers are read.
  HttpServer(const HttpLimits& limits, std::unique_ptr<HttpService> service,
             std::function<Duration()> now = SteadyNow);
  HttpServer(const HttpLimits& limits, Router router, HostCheck hosts,
             std::function<Duration()> now = SteadyNow);
  ~HttpServer();

  // Lets clients in. Once. `elsewhere` has the first word on each.
  Status Listen(std::vector<Doorway> doorways, Elsewhere elsewhere = {});
  // One that somebody else let in, from the address that is told, as if it had come to the first
  // doorway that is like that one; it is not taken elsewhere. Any thread.
  Status Take(Descriptor connection, bool has_tls, std::string client);
  // Lets nobody in any more; those that are in stay.
  void LetNobodyIn();
  // Ends all connections, whatever is under way, and waits until nobody has one: who holds a reply
  // or what the next piece of an answer is given to must let go when its client is gone.
  void Stop();

  // That there are now; that there were in all. Any thread.
  std::size_t connections() const;
  std::uint64_t accepted() const;
  // That found no place.
  std::uint64_t refused() const;
  // Of answers that are on their way to clients. Any thread.
  std::int64_t outgoing_bytes() const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace wharf

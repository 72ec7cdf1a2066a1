// ServiceBusCall: one request to a service bus over HTTP, as those see it who answer it: what is
// asked, by whom, of which broker, and how it is answered.
//
// Made by the ServiceBusDoor when the caller has proven who it is and the body is there; in tests
// by themselves. Held by who answers it until then. Its answer may come at once or later, from any
// thread; a call that is dropped without one is answered by 500.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "broker/doors/http/http_service.h"
#include "broker/doors/http/servicebus/target.h"
#include "broker/requests/requests.h"

namespace wharf {

// Values.
struct ServiceBusRequest {
  // "GET", as it was sent.
  std::string method{};
  // Of an address of ours, but for the case; and what stands behind the question mark.
  Target target{};
  HttpFields fields{};
  std::string body{};
  // By which the client knows this broker, "https://host:port"; empty: it did not say.
  std::string origin{};
  // Who asks; what it has proven stands in its permit, and the request takes as long as may be.
  Caller caller{};
};

class ServiceBusCall {
 public:
  virtual ~ServiceBusCall() = default;

  // Its body may be moved away.
  virtual ServiceBusRequest& request() = 0;
  virtual Requests& requests() = 0;
  // What another token proves that came with the request. Nothing where nobody has to prove
  // anything.
  virtual Result<access::PermitPtr> ProveAlso(std::string_view /*token*/) {
    return access::PermitPtr();
  }

  // Once. `response.written` is called as HttpResponse says.
  virtual void Answer(HttpResponse response) = 0;

  // For a call that waits: `end` is called if nobody waits for the answer any more, or the caller
  // may not ask any more, or the broker goes; at once if that is so. It may be called again, and
  // when the call was answered. Once a call; the answer must come soon then.
  virtual void EndWaitWith(std::function<void()> end) = 0;
  // Why `end` was called, where the caller must hear it if nothing came of the wait; else ok.
  virtual Status end_reason() const = 0;
};
using ServiceBusCallPtr = std::shared_ptr<ServiceBusCall>;

// Answers requests of a kind. Outlives all calls; any thread, and nothing may wait.
class ServiceBusHandler {
 public:
  virtual ~ServiceBusHandler() = default;
  virtual void Handle(ServiceBusCallPtr call) = 0;
};

}  // namespace wharf

// AtomHandler: management of entities over HTTP, as the administration clients of Azure's SDKs
// speak it: entries and feeds of Atom (section 30).
//
// It translates, and decides nothing: what may be asked, and what comes of it, the broker says. Has
// no state; any thread.
#pragma once

#include "broker/doors/http/servicebus/call.h"

namespace wharf {

class AtomHandler final : public ServiceBusHandler {
 public:
  void Handle(ServiceBusCallPtr call) override;
};

}  // namespace wharf

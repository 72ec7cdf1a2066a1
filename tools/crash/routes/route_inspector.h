// RouteInspector: what a run asks of the broker when nobody is at work: looks at everything that
// lies in its entities, counts it, and empties them.
//
// For one life of the daemon; used on one thread.
#pragma once

#include <string>

#include "tools/client/client.h"
#include "tools/crash/routes/route_ledger.h"

namespace wharf::crash {

class RouteInspector {
 public:
  explicit RouteInspector(const std::string& address);

  client::Client& client() { return client_; }

  // From the last place to the first.
  Result<Inventory> Look();
  // Forwarding is on afterwards. An error if it does not come to an end.
  Status WaitUntilForwarded();
  // The counters against what was seen; reports what differs.
  Status CheckCounters(const Inventory& inventory, RouteLedger& ledger);
  // All that lies there leaves at one instant.
  Status Purge(Place place);
  // All that lies there is received, and deleted; also what is locked, when its lock has ended.
  Status Consume(Place place, RouteLedger& ledger);
  // Bytes that are stored for the topic and for the queues.
  Result<std::int64_t> StoredBytes();

 private:
  struct Counters {
    std::int64_t total = 0;
    std::int64_t dead_letters = 0;
  };

  Result<std::vector<SeenCopy>> LookAt(Place place);
  Result<Counters> Count(Place place);

  client::Client client_;
};

}  // namespace wharf::crash

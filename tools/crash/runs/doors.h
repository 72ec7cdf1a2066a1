// Doors: by which doors clients come to the broker, and where it listens for them.
//
// What AMQP and HTTP have no word for is asked over gRPC all the same: queues are made and counted,
// purged and scheduled to, jobs begun. Plain values.
#pragma once

#include <string>
#include <vector>

namespace wharf::crash {

struct Doors {
  bool has_grpc = true;
  bool has_amqp = true;
  // Service Bus over HTTP.
  bool has_rest = true;
};

struct Addresses {
  // With commas between them.
  std::string grpc;
  // None: nobody listens for it.
  std::vector<std::string> amqp{};
  std::vector<std::string> rest{};
};

}  // namespace wharf::crash

// ConsoleDoor: the console as the daemon serves it: the connections, who is signed in, and the
// broker behind them, which comes and goes.
//
// While there is none clients are told to come again, with 503; but what every node of a cluster
// answers is answered. Made by the Daemon or the ClusterDaemon, and used on their threads.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/thread_pool.hpp>

#include "broker/doors/common/call_gate.h"
#include "broker/doors/common/console_statistics.h"
#include "broker/doors/common/doorway.h"
#include "broker/doors/common/elsewhere.h"
#include "broker/doors/common/inner_calls.h"
#include "broker/doors/http/console/console_service.h"
#include "broker/doors/http/console/sessions.h"
#include "broker/doors/http/console/sign_in_pace.h"
#include "broker/doors/http/http_server.h"
#include "storage/base/status.h"
#include "storage/base/ticker.h"

namespace wharf {

class ConsoleDoor {
 public:
  struct Options {
    HttpLimits limits{};
    // Of answers that clients have not read; beyond it nothing is begun.
    std::int64_t outgoing_bytes_max = std::int64_t{256} << 20;
    // Beside localhost: by which browsers know this broker.
    std::vector<std::string> hosts{};
    std::string version{};
  };

  explicit ConsoleDoor(const Options& options);
  ~ConsoleDoor();

  // The calls of the gRPC door, which outlive this one. Before it listens.
  void Use(InnerCalls& calls) { calls_ = &calls; }
  // This node takes part in a cluster, or waits to: what is asked of that is answered from now on,
  // whoever leads. Before it listens.
  void TakePart(const CallGate::Node& node);
  // Lets clients in, from now on. Once. `elsewhere` has the first word on each.
  Status Listen(std::vector<Doorway> doorways, Elsewhere elsewhere = {});
  // A client that somebody else let in (HttpServer::Take). Any thread.
  Status Take(Descriptor connection, bool has_tls, std::string client) {
    return server_.Take(std::move(connection), has_tls, std::move(client));
  }

  // Who does not lead says where the broker is only to who proves by this guard that it may ask;
  // null: to everybody. Before it listens.
  void SetGuardOfRefusals(access::Guard* guard) { gate_.SetGuardOfRefusals(guard); }
  // Calls find this broker from now on; there is no other.
  void Open(const CallGate::Broker& broker) { gate_.Open(broker); }
  // While there is none: this is why.
  void Refuse(const Status& reason) { gate_.Refuse(reason); }
  // From now on calls are refused for this reason, and nobody is signed in any more.
  void BeginClose(const Status& reason);
  // Until the last has its answer, and cuts those off that take longer. Then nothing uses the
  // broker any more.
  void Close(Duration patience);
  // Nobody is let in any more, and all are sent away as by BeginClose.
  void BeginStop();
  // Closes, and ends the threads of the door.
  void Stop(Duration patience);

  // Any thread.
  ConsoleStatistics statistics() const;

 private:
  std::unique_ptr<console::ConsoleService> MakeService(const Options& options);
  void Sweep();

  CallGate gate_;
  CallGate cluster_gate_;
  std::atomic<bool> takes_part_ = false;
  std::atomic<InnerCalls*> calls_ = nullptr;
  console::Sessions sessions_;
  console::SignInPace pace_;
  HttpCounts counts_;
  // The server's.
  const console::ConsoleService* service_ = nullptr;
  HttpServer server_;
  // Makes them, one after the other; it goes before what they are answered to.
  boost::asio::thread_pool long_answers_{1};
  Ticker looks_at_permits_;
};

}  // namespace wharf

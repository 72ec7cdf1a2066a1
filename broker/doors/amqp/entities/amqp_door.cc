#include "broker/doors/amqp/entities/amqp_door.h"

#include "storage/base/broker_clock.h"

namespace wharf::amqp {
namespace {

DoorLimits LimitsFor(const AmqpDoor::Options& options) {
  DoorLimits limits;
  limits.connections_max = options.connections_max;
  return limits;
}

// Tokens lapse by the clock of the machine, wherever the broker's own is.
AmqpServer::WallClock MachineClock() { return BrokerClock::SystemSources().wall; }

}  // namespace

AmqpDoor::AmqpDoor(const Options& options)
    : broker_(options.serves_jms),
      server_(LimitsFor(options), {.version = options.version, .serves_jms = options.serves_jms},
              guard_, broker_, MachineClock()) {}

Status AmqpDoor::Listen(std::vector<Doorway> doorways, Elsewhere elsewhere) {
  return server_.Listen(std::move(doorways), std::move(elsewhere));
}

void AmqpDoor::Open(Requests& requests, access::Guard* guard) {
  guard_.Open(guard);
  broker_.Open(requests);
}

// What rests on the guard's word goes on until it is gone.
void AmqpDoor::BeginClose() {
  broker_.Close();
  server_.CloseAll(
      {ErrorCode::kServiceCommunicationProblem, "the broker is not here any more: connect again"});
}

void AmqpDoor::Close(Patience patience) {
  broker_.Close();
  if (!broker_.WaitUntilNone(patience)) {
    server_.DropAll();
    broker_.WaitUntilNone();
  }
  guard_.Close();
}

void AmqpDoor::BeginStop() {
  broker_.Close();
  server_.LetNobodyIn();
  server_.CloseAll({ErrorCode::kServiceCommunicationProblem, "the broker stops: connect again"});
}

void AmqpDoor::Stop(Patience patience) {
  broker_.Close();
  server_.Stop(patience);
  // Of what goes on behind a connection.
  broker_.WaitUntilNone();
  guard_.Close();
}

AmqpStatistics AmqpDoor::statistics() const {
  const DoorCounts& counts = server_.counts();
  return {.open_connections = server_.connections(),
          .open_links = counts.open_links,
          .connections = server_.accepted(),
          .connections_refused = server_.refused(),
          .links = counts.links,
          .links_refused = counts.links_refused,
          .frames_received = counts.frames_received,
          .frames_sent = counts.frames_sent};
}

}  // namespace wharf::amqp

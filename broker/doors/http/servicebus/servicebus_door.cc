#include "broker/doors/http/servicebus/servicebus_door.h"

#include <chrono>
#include <utility>

#include <spdlog/spdlog.h>

namespace wharf {
namespace {

// Between two lines of the log about calls that do not end.
constexpr Duration kAnswerPace = std::chrono::seconds(1);

Status Stopping() {
  return {ErrorCode::kServiceCommunicationProblem, "the broker stops: ask again"};
}

}  // namespace

ServiceBusDoor::ServiceBusDoor(const Options& options)
    : gate_({ErrorCode::kServiceCommunicationProblem, "the broker is not there yet: ask again"}),
      messages_([this, bytes_max = options.outgoing_bytes_max] {
        return server_.outgoing_bytes() <= bytes_max;
      }),
      server_(options.limits,
              std::make_unique<ServiceBusService>(
                  ServiceBusService::World{.gate = gate_,
                                           .counts = counts_,
                                           .messages = &messages_,
                                           .entities = &entities_,
                                           .amqp = options.amqp,
                                           .emulator_health = options.emulator_health},
                  HostCheck(options.hosts))),
      looks_at_permits_(CallGate::kLapsePace, [this] { gate_.EndLapsed(); }) {}

ServiceBusDoor::~ServiceBusDoor() = default;

Status ServiceBusDoor::Listen(std::vector<Doorway> doorways, Elsewhere elsewhere) {
  return server_.Listen(std::move(doorways), std::move(elsewhere));
}

// What is cut off ends as soon as the broker has answered it.
void ServiceBusDoor::Close(Duration patience) {
  if (gate_.WaitUntilNone(patience)) return;
  gate_.CutOffAll();
  while (!gate_.WaitUntilNone(kAnswerPace)) spdlog::warn("requests still wait for their answers");
}

void ServiceBusDoor::BeginStop() {
  server_.LetNobodyIn();
  gate_.Close(Stopping());
}

void ServiceBusDoor::Stop(Duration patience) {
  gate_.Close(Stopping());
  Close(patience);
  server_.Stop();
}

HttpStatistics ServiceBusDoor::statistics() const {
  return {.open_connections = server_.connections(),
          .connections = server_.accepted(),
          .connections_refused = server_.refused(),
          .requests = counts_.ReadAll(kHttpKinds, NameOfHttpKind)};
}

}  // namespace wharf

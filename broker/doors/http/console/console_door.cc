#include "broker/doors/http/console/console_door.h"

#include <chrono>

#include <boost/asio/post.hpp>
#include <spdlog/spdlog.h>

#include "broker/access/access_key.h"
#include "broker/access/guard.h"
#include "broker/doors/http/console/console_service.h"
#include "storage/base/log_limit.h"

namespace wharf {
namespace {

// Between two lines of the log about calls that do not end.
constexpr Duration kAnswerPace = std::chrono::seconds(1);

Status Stopping() {
  return {ErrorCode::kServiceCommunicationProblem, "the broker stops: ask again"};
}
Status Starting() {
  return {ErrorCode::kServiceCommunicationProblem, "the broker is not there yet: ask again"};
}

// What is cut off ends as soon as the broker has answered it.
void AwaitNone(CallGate& gate, Duration patience) {
  if (gate.WaitUntilNone(patience)) return;
  gate.CutOffAll();
  while (!gate.WaitUntilNone(kAnswerPace)) spdlog::warn("requests still wait for their answers");
}

}  // namespace

ConsoleDoor::ConsoleDoor(const Options& options)
    : gate_(Starting()),
      cluster_gate_(Starting()),
      sessions_({}, access::SystemKeys(), SteadyNow),
      pace_(SteadyNow),
      server_(options.limits, MakeService(options)),
      looks_at_permits_(CallGate::kLapsePace, [this] { Sweep(); }) {}

ConsoleDoor::~ConsoleDoor() = default;

std::unique_ptr<console::ConsoleService> ConsoleDoor::MakeService(const Options& options) {
  auto service = std::make_unique<console::ConsoleService>(
      console::ConsoleService::World{
          .gate = gate_,
          .cluster_gate = [this] { return takes_part_ ? &cluster_gate_ : nullptr; },
          .calls = [this] { return calls_.load(); },
          .sessions = sessions_,
          .pace = pace_,
          .counts = counts_,
          .aside = [this](Work work) { boost::asio::post(long_answers_, std::move(work)); },
          .has_room =
              [this, bytes_max = options.outgoing_bytes_max](std::int64_t more) {
                return server_.outgoing_bytes() + more <= bytes_max;
              }},
      HostCheck(options.hosts), options.version);
  service_ = service.get();
  return service;
}

ConsoleStatistics ConsoleDoor::statistics() const {
  const auto name = [](std::size_t kind) {
    return NameOf(static_cast<console::ConsoleKind>(kind));
  };
  return {.http = {.open_connections = server_.connections(),
                   .connections = server_.accepted(),
                   .connections_refused = server_.refused(),
                   .requests = counts_.ReadAll(console::kConsoleKinds, name)},
          .open_calls = static_cast<std::size_t>(service_->open_calls()),
          .sessions = sessions_.size()};
}

void ConsoleDoor::TakePart(const CallGate::Node& node) {
  cluster_gate_.SetGuardOfRefusals(node.guard);
  cluster_gate_.Open(node);
  takes_part_ = true;
}

Status ConsoleDoor::Listen(std::vector<Doorway> doorways, Elsewhere elsewhere) {
  return server_.Listen(std::move(doorways), std::move(elsewhere));
}

// A ticket keeps the guard there.
void ConsoleDoor::Sweep() {
  gate_.EndLapsed();
  cluster_gate_.EndLapsed();
  const CallGate::Ticket ticket = gate_.Enter([] {});
  access::Guard* const guard = ticket.is_valid() ? ticket.guard() : nullptr;
  if (guard == nullptr) return;
  sessions_.Sweep([guard](const access::PermitPtr& permit) { return guard->Check(permit).ok(); });
}

void ConsoleDoor::BeginClose(const Status& reason) {
  gate_.Close(reason);
  sessions_.EndAll();
}

// Somebody may have signed in while it closed.
void ConsoleDoor::Close(Duration patience) {
  AwaitNone(gate_, patience);
  sessions_.EndAll();
}

void ConsoleDoor::BeginStop() {
  server_.LetNobodyIn();
  BeginClose(Stopping());
  cluster_gate_.Close(Stopping());
}

void ConsoleDoor::Stop(Duration patience) {
  BeginClose(Stopping());
  cluster_gate_.Close(Stopping());
  Close(patience);
  AwaitNone(cluster_gate_, patience);
  server_.Stop();
}

}  // namespace wharf

// SessionLink: a link of AMQP as the broker sees it that wants a session: a receiver, which holds
// the session for as long as it is there. It never gives credit; what the session has is received
// by calls with its token, which no client would know.
//
// For random tests; on the thread of the harness.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/engine_harness.h"

namespace wharf {

class SessionLink final : public DeliverySink {
 public:
  struct Accepted {
    HolderId link;
    AcceptedSession session;
  };

  // A named session, or the next one. An error as well if the broker says nothing.
  static Result<Accepted> Accept(EngineHarness& engine, const std::string& path,
                                 std::optional<std::string> session_id = std::nullopt) {
    auto link = std::make_shared<SessionLink>();
    const auto attached = engine.Await<AttachedReceiver>([&](Answer<AttachedReceiver> answer) {
      engine.broker().Attach(
          {.path = path,
           .session =
               SessionChoice{.id = std::move(session_id), .wait = {}, .held_by = HeldBy::kLink}},
          link, std::move(answer));
    });
    if (!attached.ok()) return attached.status();
    link->WaitIn(engine);
    if (!link->heard_.has_value()) return Status(ErrorCode::kGeneralError, "nothing was heard");
    if (!link->heard_->ok()) return link->heard_->status();
    return Accepted{attached->id, **link->heard_};
  }

  void OnDeliveries(std::vector<Delivered> /*deliveries*/) override {}
  void OnDrained(Credit /*left*/) override {}
  void OnStopped() override {}
  void OnSessionAccepted(const AcceptedSession& session) override { heard_ = session; }
  void OnDetached(Status reason) override {
    if (!heard_.has_value()) heard_ = std::move(reason);
  }

 private:
  // It is told when its turn is committed, perhaps by another thread, which others may precede.
  void WaitIn(EngineHarness& engine) const {
    for (engine.Run(); !heard_.has_value() && engine.has_untold(); engine.Run()) {
      engine.work().RunUntil([&] { return !engine.has_untold(); });
    }
  }

  std::optional<Result<AcceptedSession>> heard_;
};

}  // namespace wharf

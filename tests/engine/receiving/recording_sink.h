// RecordingSink: what a receiver heard, in order. CountingSink: that it ended, one of many.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "broker/engine/delivery/receiver.h"

namespace wharf {

class RecordingSink final : public DeliverySink {
 public:
  void OnDeliveries(std::vector<Delivered> deliveries) override {
    for (Delivered& delivered : deliveries) {
      events.push_back(fmt::format("{}", delivered.message->number.value()));
      this->deliveries.push_back(std::move(delivered));
    }
  }
  void OnDrained(Credit left) override {
    events.push_back(fmt::format("drained {}", left.messages));
    drained = left;
  }
  void OnStopped() override { events.emplace_back("stopped"); }
  void OnSessionAccepted(const AcceptedSession& session) override {
    events.push_back(fmt::format("accepted {}", session.id));
    sessions.push_back(session);
  }
  void OnSessionEnded(const EndedSession& session) override {
    events.push_back(fmt::format("ended {} {}", session.id, ReasonOf(session.reason.code())));
  }
  void OnDetached(Status reason) override {
    events.push_back(fmt::format("detached {}", ReasonOf(reason.code())));
    detached = std::move(reason);
  }

  std::vector<Delivered> deliveries;
  std::vector<AcceptedSession> sessions;
  // "7" for the delivery of number 7, "drained 3" with the messages left, "stopped", "detached Ok",
  // "accepted a" and "ended a Ok" of the session a.
  std::vector<std::string> events;
  Credit drained;
  Status detached;
};

class CountingSink final : public DeliverySink {
 public:
  // `ended`: counts with others how often they heard that they ended.
  explicit CountingSink(std::size_t& ended) : ended_(ended) {}

  void OnDeliveries(std::vector<Delivered>) override {}
  void OnDrained(Credit) override {}
  void OnStopped() override {}
  void OnDetached(Status) override {
    ++ended_;
    ++times_;
  }
  int times() const { return times_; }

 private:
  std::size_t& ended_;
  int times_ = 0;
};

}  // namespace wharf

// ServedFixture: connections in memory, with rules, a wall clock and a time of their own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "broker/access/guard.h"
#include "broker/doors/amqp/connection/served_connection.h"
#include "tests/access/sample_rules.h"
#include "tests/amqp/connection/door_client.h"
#include "tests/amqp/connection/recording_entities.h"
#include "tests/heard_log.h"

namespace wharf::amqp {

class ServedFixture : public ::testing::Test {
 protected:
  using Span = std::chrono::milliseconds;

  // One client and our side of its connection.
  struct Guest {
    std::unique_ptr<ServedConnection> served;
    std::unique_ptr<DoorClient> client;

    DoorClient* operator->() const { return client.get(); }
  };

  ServedFixture() {
    gate_.Open(&guard_);
    open_.container_id = "wharf";
  }

  Guest Connect(std::string subject = "") {
    Guest guest;
    guest.served = std::make_unique<ServedConnection>(
        world_, ServedConnection::Client{.peer = "10.0.0.9:7", .subject = std::move(subject)},
        [](const std::function<void()>& what) { what(); }, now_);
    ServedConnection& served = *guest.served;
    guest.client = std::make_unique<DoorClient>(
        DoorClient::Wire{.say = [this, &served](std::string_view b) { served.Feed(b, now_); },
                         .hear =
                             [this, &served] {
                               served.Work(now_);
                               return served.TakeOutput(now_);
                             }});
    return guest;
  }
  // One that is in, and may ask `$cbs`.
  Guest ConnectToCbs() {
    Guest guest = Connect();
    guest->Enter();
    guest->AttachToCbs();
    return guest;
  }

  void Advance(Guest& guest, Span span) {
    now_ += span;
    wall_now_ += span;
    guest.served->Tick(now_);
  }
  void Publish(const access::Book& book) {
    guard_.Publish(std::make_shared<const access::Book>(book));
  }
  std::string TokenFor(const std::string& path, const std::string& rule,
                       const std::string& key = access::kKeyOne,
                       Timestamp until = access::kSampleLater) const {
    return access::MakeToken("sb://host/" + path, rule, key, until);
  }
  std::vector<std::string> TakeLines() { return std::exchange(entities_.lines, {}); }

  ServedConnection::Instant now_{std::chrono::hours(1)};
  Timestamp wall_now_ = access::kSampleNow;
  // Of the namespace, and of two queues.
  const access::Book book_ =
      access::Book()
          .With("", access::SampleRule("root", access::Right::kManage))
          .With("orders", access::SampleRule("sender", access::Right::kSend))
          .With("orders", access::SampleRule("reader", access::Right::kListen))
          .With("bills", {"sender", access::Right::kSend, access::kKeyThree, access::kKeyTwo,
                          access::kSampleNow});
  access::Guard guard_{std::make_shared<const access::Book>(book_), [this] { return wall_now_; }};
  GuardGate gate_;
  HeardLog log_;
  DoorLimits limits_;
  RecordingEntities entities_;
  std::function<Timestamp()> wall_ = [this] { return wall_now_; };
  amqp::Open open_;
  LogLimit log_limit_{Duration(0)};
  DoorCounts counts_;
  LogLimit told_limit_{Duration(0)};
  DoorWorld world_{limits_, gate_, entities_, wall_, open_, log_limit_, counts_, told_limit_};
};

}  // namespace wharf::amqp

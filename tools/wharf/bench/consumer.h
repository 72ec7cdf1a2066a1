// Consumer: one connection that receives and completes messages as fast as they come.
//
// Every batch of deliveries is settled as one settlement, in the callback. Made by the main thread;
// runs on the thread of gRPC that serves its stream.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "tools/client/client.h"
#include "tools/client/session_keeper.h"
#include "tools/wharf/bench/histogram.h"
#include "tools/wharf/bench/milestone.h"

namespace wharf::tool {

class Consumer {
 public:
  struct Plan {
    std::string queue;
    std::uint32_t window = 256;
    // If its queue requires sessions; their locks are renewed.
    client::SessionOption session = {};
  };

  // `settled` counts every message whose completion was answered.
  Consumer(const client::Target& address, Plan plan, Milestone& settled);

  Status Connect();
  void Start();
  // Takes and settles what is on its way, then ends the stream.
  void Stop();

  // After Stop. From the send of a message to its delivery here.
  const Histogram& latency() const { return latency_; }
  std::uint64_t settlements() const { return settlements_; }
  std::uint64_t errors() const { return errors_; }

 private:
  void OnSessionEnded(const v1::SessionEnded& session);
  void OnMessages(client::Receiver& receiver, v1::Deliveries& deliveries);
  void OnSettled(std::size_t count, const Result<client::SettleReceipt>& receipt);

  const Plan plan_;
  Milestone& settled_;
  // Used in callbacks.
  Histogram latency_;
  std::uint64_t settlements_ = 0;
  std::uint64_t errors_ = 0;

  client::Client client_;
  client::SessionKeeper keeper_;
  std::unique_ptr<client::Receiver> receiver_;  // Last: its callbacks use the rest.
};

}  // namespace wharf::tool

// Producer: one connection that keeps its window full of messages.
//
// Every receipt sends the next message, in the callback, so that no thread is woken for it and what
// one answer allows leaves as one request. Made by the main thread; runs on the thread of gRPC that
// serves its stream.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "tools/client/client.h"
#include "tools/wharf/bench/histogram.h"
#include "tools/wharf/bench/payload.h"

namespace wharf::tool {

class Producer {
 public:
  struct Plan {
    std::string queue;
    std::size_t window = 256;
    // The end: whichever comes first.
    std::uint64_t messages_max = 0;
    // Messages go to the sessions of so many ids in turn, beginning with the first; 0: to none.
    std::uint64_t sessions = 0;
    std::uint64_t first_session = 0;
    // What all messages have besides.
    v1::Message base{};
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  };

  Producer(const client::Target& address, Plan plan, const Payload& payload);

  Status Connect();
  void Start();
  // Returns when everything sent has its receipt.
  Status Join();

  // At any time, by any thread.
  std::uint64_t acknowledged() const { return acknowledged_.load(std::memory_order_relaxed); }
  // After Join.
  const Histogram& latency() const { return latency_; }
  std::uint64_t errors() const { return errors_; }
  std::uint64_t requests() { return sender_->request_count(); }

 private:
  using Time = std::chrono::steady_clock::time_point;

  // Sends the next message unless all are sent; its storage is left in `message`.
  void SendNext(v1::Message& message, Time now);
  void OnReceipt(Time sent_at, const Result<client::SendReceipt>& receipt);

  const Plan plan_;
  const bool has_base_;
  const Payload& payload_;
  std::atomic<std::uint64_t> sent_ = 0;
  // Written by callbacks alone.
  std::atomic<std::uint64_t> acknowledged_ = 0;
  // Used in callbacks.
  v1::Message message_;
  Histogram latency_;
  std::uint64_t errors_ = 0;

  client::Client client_;
  std::unique_ptr<client::Sender> sender_;  // Last: its callbacks use the rest.
};

}  // namespace wharf::tool

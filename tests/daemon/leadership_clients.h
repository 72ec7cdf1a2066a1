// LeadershipClients: clients that stay while leaderships come and go. Each begins its call anew
// when it has ended.
//
// One thread a client. How the calls ended is noted under its name; how they may is for the test to
// say.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <grpcpp/grpcpp.h>
#include <wharf/v1/messaging.grpc.pb.h>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"

namespace wharf {

class LeadershipClients {
 public:
  // How the calls of one client ended.
  struct Ends {
    std::uint64_t ok = 0;
    // UNAVAILABLE, for one of the reasons.
    std::uint64_t told = 0;
    // The first that ended otherwise.
    std::string wrong{};
  };

  // What a call may be told when it ends with an error.
  LeadershipClients(std::string address, std::vector<std::string> reasons);
  ~LeadershipClients();

  // They send to "orders", send to "work" and receive from it, wait on "empty", and on "sessions"
  // for a session.
  void Start();
  void Stop();

  // Until so many messages to "orders" were acknowledged, or a call ended as it must not.
  void AwaitAcknowledged(std::uint64_t count);
  std::uint64_t acknowledged() const { return acknowledged_; }
  std::map<std::string, Ends> ends();

 private:
  using Channel = std::shared_ptr<grpc::Channel>;
  using Call = std::function<grpc::Status(const Channel&, grpc::ClientContext&)>;

  void Add(std::string name, Call call);
  void Repeat(const std::string& name, const Call& call);
  void Note(const std::string& name, const grpc::ClientContext& context,
            const grpc::Status& status);

  const std::string address_;
  const std::vector<std::string> reasons_;
  std::vector<std::thread> threads_;
  std::atomic<std::uint64_t> acknowledged_ = 0;

  Mutex mutex_;
  bool is_over_ ABSL_GUARDED_BY(mutex_) = false;
  std::condition_variable_any changed_;
  std::map<std::string, Ends> ends_ ABSL_GUARDED_BY(mutex_);
  // To be cancelled at the end.
  std::vector<grpc::ClientContext*> open_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf

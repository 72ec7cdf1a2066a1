// Endpoints: the addresses at which a broker may be asked, and which of them leads, as far as is
// known: the one way in which this library finds a leader, for calls and for streams.
//
// An address that says PartitionNotOwned is left for the one that it names (ERR-26), one that
// cannot be reached for the next that was given. When all were asked and none leads, an election is
// under way: they are asked again after pauses of 50 to 500 ms, until the patience is over. With
// one address that leads nothing of this is ever seen.
//
// What was not done is repeated. What may have been done is repeated only if whoever asks says that
// doing it twice is the same (Repeat). Made by Client, shared with its streams; any thread may ask,
// and waits for its answer.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <grpcpp/grpcpp.h>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"
#include "storage/base/time.h"
#include "tools/client/target.h"
#include "wharf/v1/backups.grpc.pb.h"
#include "wharf/v1/clock.grpc.pb.h"
#include "wharf/v1/cluster.grpc.pb.h"
#include "wharf/v1/management.grpc.pb.h"
#include "wharf/v1/messaging.grpc.pb.h"
#include "wharf/v1/sessions.grpc.pb.h"
#include "wharf/v1/topics.grpc.pb.h"
#include "wharf/v1/transactions.grpc.pb.h"

namespace wharf::client {

// How long a leader is looked for, unless somebody says otherwise.
inline constexpr Duration kLeaderPatience = std::chrono::seconds(10);

// Which calls that failed are made once more, at this address or another.
enum class Repeat : std::uint8_t {
  kIfNotDone,
  // Also if it may have been done: a question, or what the broker does once, however often it is
  // asked.
  kAlsoIfUnknown,
};

// One address, its connection, and the stubs of all services. Any thread.
class Endpoint {
 public:
  Endpoint(const Target& target, std::string address, bool has_own_connection);

  const std::string& address() const { return address_; }
  template <typename Stub>
  Stub& stub() {
    return *std::get<std::unique_ptr<Stub>>(stubs_);
  }

  // Whether it can be reached: ServiceCommunicationProblem, and nothing was done, if not. Where
  // connections are refused it waits for as long as `refused_patience`: a broker may just be
  // starting.
  Status Connect(Duration patience, Duration refused_patience);

 private:
  const std::string address_;
  const bool has_tls_;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::tuple<std::unique_ptr<v1::Messaging::Stub>, std::unique_ptr<v1::Management::Stub>,
                   std::unique_ptr<v1::Topics::Stub>, std::unique_ptr<v1::Clock::Stub>,
                   std::unique_ptr<v1::Sessions::Stub>, std::unique_ptr<v1::Transactions::Stub>,
                   std::unique_ptr<v1::Cluster::Stub>, std::unique_ptr<v1::Backups::Stub>>
      stubs_;
};

using EndpointPtr = std::shared_ptr<Endpoint>;

class Endpoints {
 public:
  // A call, with a context that has its deadline.
  using Call = absl::FunctionRef<grpc::Status(Endpoint&, grpc::ClientContext&)>;

  // `patience`: how long a leader is looked for.
  Endpoints(Target target, bool has_own_connection, Duration patience);

  // Which one to ask now.
  EndpointPtr current() const;
  // The first address that was given.
  EndpointPtr first() const;

  // Asks who leads; all tries together may take `timeout`. Where one of them may have been done,
  // and those behind it were turned away, nobody knows whether it was.
  Status Ask(Duration timeout, Repeat repeat, Call call);
  // Asks this one, once.
  static Status AskOne(Endpoint& endpoint, Duration timeout, Call call);

  // Until there is one to ask: the only one can be reached, or of several one says that it leads.
  Status Connect(Duration patience);
  // The same, but whether it leads does not matter.
  Status ConnectToAny(Duration patience);

  // A call or a stream of this one ended so: another one is asked from now on, if that is why.
  void NoteEnd(const Endpoint& endpoint, const Status& reason);

 private:
  using Time = std::chrono::steady_clock::time_point;

  // One walk from address to address.
  class Search {
   public:
    Search(Endpoints& endpoints, Duration patience);

    // Which one was asked, and why in vain. Waits, if all were asked. False: the patience is over.
    bool MoveOn(const Endpoint& asked, const Status& reason);

   private:
    Endpoints& endpoints_;
    const Time until_;
    std::chrono::milliseconds pause_;
    // Since the last pause.
    std::set<std::string> asked_;
  };

  // Whether this one, by this end, is to be left for another.
  bool MayMoveOn(const Status& reason, Repeat repeat) const;
  bool knows_others() const;
  Status AskReachable(Endpoint& endpoint, Duration timeout, Call call) const;
  // Whether it leads.
  static Status Probe(Endpoint& endpoint, Duration patience);
  // Makes one of those that were given, and is not among these, the current one; false if there is
  // none.
  bool UseAnotherThan(const std::set<std::string>& asked);
  // Null: it is not among them.
  EndpointPtr Find(const std::string& address) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool MayUse(const std::string& address) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Use(const std::string& address) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void UseNextGiven() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropOldestHint() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Target target_;
  const bool has_own_connection_;
  const Duration patience_;
  std::size_t given_count_;

  mutable Mutex mutex_;
  // Those that were given, and behind them those that others named.
  std::vector<EndpointPtr> all_ ABSL_GUARDED_BY(mutex_);
  EndpointPtr current_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf::client

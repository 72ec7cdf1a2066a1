#include "tools/client/endpoints.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "tools/client/authorization.h"
#include "tools/client/call_trace.h"
#include "tools/client/error.h"

namespace wharf::client {
namespace {

using std::chrono::steady_clock;

// Above any answer that the API allows, with room for its properties.
constexpr int kReceiveBytesMax = 16 << 20;
// A broker that does not say a word for so long, though asked, is gone: stopped, or cut off.
constexpr int kPingAfterMs = 10'000;
constexpr int kPingAnswerMs = 10'000;
// A broker that was started a moment ago listens soon: so long a refusal is not taken for an
// answer.
constexpr Duration kStartPatience = std::chrono::seconds(3);
// How soon and how seldom a connection is tried again: a restart takes a second.
constexpr int kConnectAgainMinMs = 100;
constexpr int kConnectAgainMaxMs = 2'000;
// For one address, where there are others; and for whether it leads.
constexpr Duration kOneOfManyPatience = std::chrono::seconds(2);
// While nobody leads: an election takes about a second.
constexpr std::chrono::milliseconds kSearchPauseMin(50);
constexpr std::chrono::milliseconds kSearchPauseMax(500);
// Addresses that nobody gave but brokers named.
constexpr std::size_t kHintsMax = 8;

void NoticeSilence(grpc::ChannelArguments& arguments) {
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kPingAfterMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingAnswerMs);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);  // As many as it takes.
}

std::shared_ptr<grpc::Channel> MakeChannel(const Target& target, const std::string& address,
                                           bool is_own) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kReceiveBytesMax);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kConnectAgainMinMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kConnectAgainMaxMs);
  NoticeSilence(arguments);
  if (!target.server_name.empty()) arguments.SetSslTargetNameOverride(target.server_name);
  if (is_own) arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  auto interceptors = AuthorizationOf(target.tokens);
  if (auto trace = CallTraceOf(target.traceparent)) interceptors.push_back(std::move(trace));
  return grpc::experimental::CreateCustomChannelWithInterceptors(
      address, target.credentials ? target.credentials : grpc::InsecureChannelCredentials(),
      arguments, std::move(interceptors));
}

// It does not lead, or cannot be asked whether it does.
bool IsElsewhere(const Status& status) {
  return status.code() == ErrorCode::kPartitionNotOwned ||
         status.code() == ErrorCode::kServiceCommunicationProblem;
}

// Nobody looked at what was asked, and so nobody knows whether it was done before.
bool IsTurnedAway(const Status& status) {
  return IsElsewhere(status) || status.code() == ErrorCode::kServiceBusy ||
         status.code() == ErrorCode::kUnauthorized;
}

// How all tries of a call ended, of which `lost`, if there is one, may have been done.
Status EndOfAll(const std::optional<Status>& lost, Status last) {
  if (!lost || last.outcome() == Outcome::kUnknown || !IsTurnedAway(last)) return last;
  return {lost->code(), fmt::format("{}; asked again: {}", lost->message(), last.message()),
          Outcome::kUnknown};
}

}  // namespace

Endpoint::Endpoint(const Target& target, std::string address, bool has_own_connection)
    : address_(std::move(address)),
      has_tls_(target.credentials != nullptr),
      channel_(MakeChannel(target, address_, has_own_connection)),
      stubs_(v1::Messaging::NewStub(channel_), v1::Management::NewStub(channel_),
             v1::Topics::NewStub(channel_), v1::Clock::NewStub(channel_),
             v1::Sessions::NewStub(channel_), v1::Transactions::NewStub(channel_),
             v1::Cluster::NewStub(channel_), v1::Backups::NewStub(channel_)) {}

Status Endpoint::Connect(Duration patience, Duration refused_patience) {
  const auto begin = std::chrono::system_clock::now();
  bool is_refused = false;
  grpc_connectivity_state state = channel_->GetState(/*try_to_connect=*/true);
  while (state != GRPC_CHANNEL_READY) {
    is_refused = is_refused || state == GRPC_CHANNEL_TRANSIENT_FAILURE;
    const Duration wait = is_refused ? std::min(patience, refused_patience) : patience;
    if (!channel_->WaitForStateChange(state, begin + wait)) break;
    state = channel_->GetState(/*try_to_connect=*/true);
  }
  if (state == GRPC_CHANNEL_READY) return Status::Ok();
  if (!is_refused) {
    return {ErrorCode::kServiceCommunicationProblem,
            fmt::format("whoever listens at {} does not answer in time", address_)};
  }
  return {
      ErrorCode::kServiceCommunicationProblem,
      fmt::format("no broker can be reached at {}{}", address_,
                  has_tls_ ? " with TLS; is wharfd running there with TLS, is its certificate good "
                             "and for this host, and does it want another from here?"
                           : "; is wharfd running there?")};
}

// --- a walk from address to address

Endpoints::Search::Search(Endpoints& endpoints, Duration patience)
    : endpoints_(endpoints), until_(steady_clock::now() + patience), pause_(kSearchPauseMin) {}

// Whoever was named last is asked next, but nobody twice without a pause: two that name each other
// must not keep us busy.
bool Endpoints::Search::MoveOn(const Endpoint& asked, const Status& reason) {
  asked_.insert(asked.address());
  endpoints_.NoteEnd(asked, reason);
  const Time now = steady_clock::now();
  if (now >= until_) return false;
  if (!asked_.contains(endpoints_.current()->address())) return true;
  if (endpoints_.UseAnotherThan(asked_)) return true;
  std::this_thread::sleep_until(std::min(now + pause_, until_));
  pause_ = std::min(pause_ * 2, kSearchPauseMax);
  asked_.clear();
  return true;
}

// --- which one

Endpoints::Endpoints(Target target, bool has_own_connection, Duration patience)
    : target_(std::move(target)), has_own_connection_(has_own_connection), patience_(patience) {
  MutexLock lock(mutex_);
  for (std::string& address : target_.addresses()) {
    all_.push_back(std::make_shared<Endpoint>(target_, std::move(address), has_own_connection_));
  }
  given_count_ = all_.size();
  current_ = all_.front();
}

EndpointPtr Endpoints::current() const {
  MutexLock lock(mutex_);
  return current_;
}

EndpointPtr Endpoints::first() const {
  MutexLock lock(mutex_);
  return all_.front();
}

bool Endpoints::knows_others() const {
  MutexLock lock(mutex_);
  return all_.size() > 1;
}

// Somebody else may have moved on before.
void Endpoints::NoteEnd(const Endpoint& endpoint, const Status& reason) {
  if (!IsElsewhere(reason)) return;
  MutexLock lock(mutex_);
  if (current_.get() != &endpoint) return;
  const std::string& leader = reason.leader();
  if (leader.empty() || leader == endpoint.address() || !MayUse(leader)) return UseNextGiven();
  Use(leader);
}

EndpointPtr Endpoints::Find(const std::string& address) const {
  const auto found = std::find_if(all_.begin(), all_.end(), [&address](const EndpointPtr& each) {
    return each->address() == address;
  });
  return found == all_.end() ? nullptr : *found;
}

bool Endpoints::MayUse(const std::string& address) const {
  return Find(address) != nullptr || target_.MayFollow(address);
}

void Endpoints::Use(const std::string& address) {
  if (EndpointPtr known = Find(address)) {
    current_ = std::move(known);
    return;
  }
  if (all_.size() == given_count_ + kHintsMax) DropOldestHint();
  current_ = std::make_shared<Endpoint>(target_, address, has_own_connection_);
  all_.push_back(current_);
}

void Endpoints::DropOldestHint() {
  all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(given_count_));
}

void Endpoints::UseNextGiven() {
  std::size_t place = 0;
  while (place < given_count_ && all_[place] != current_) ++place;
  current_ = all_[(place + 1) % given_count_];
}

bool Endpoints::UseAnotherThan(const std::set<std::string>& asked) {
  MutexLock lock(mutex_);
  for (std::size_t i = 0; i < given_count_; ++i) {
    if (asked.contains(all_[i]->address())) continue;
    current_ = all_[i];
    return true;
  }
  return false;
}

// --- asking

// With one address a connection that breaks is for whoever asks to see, as it always was.
bool Endpoints::MayMoveOn(const Status& reason, Repeat repeat) const {
  if (!IsElsewhere(reason)) return false;
  if (reason.outcome() == Outcome::kUnknown && repeat != Repeat::kAlsoIfUnknown) return false;
  return reason.code() == ErrorCode::kPartitionNotOwned || knows_others();
}

Status Endpoints::AskOne(Endpoint& endpoint, Duration timeout, Call call) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + timeout);
  return ToStatus(call(endpoint, context));
}

// One that is not there must not take all the time that there is.
Status Endpoints::AskReachable(Endpoint& endpoint, Duration timeout, Call call) const {
  if (knows_others()) {
    WHARF_RETURN_IF_ERROR(endpoint.Connect(std::min(timeout, kOneOfManyPatience), Duration(0)));
  }
  return AskOne(endpoint, timeout, call);
}

Status Endpoints::Ask(Duration timeout, Repeat repeat, Call call) {
  const Time end = steady_clock::now() + timeout;
  std::optional<Search> search;
  std::optional<Status> lost;
  while (true) {
    const EndpointPtr endpoint = current();
    const Duration left = std::chrono::ceil<Duration>(end - steady_clock::now());
    Status status = AskReachable(*endpoint, left, call);
    if (status.ok()) return status;
    if (!MayMoveOn(status, repeat)) {
      NoteEnd(*endpoint, status);
      return EndOfAll(lost, std::move(status));
    }
    if (!lost && status.outcome() == Outcome::kUnknown) lost = status;
    if (!search) search.emplace(*this, std::min(patience_, left));
    if (!search->MoveOn(*endpoint, status)) return EndOfAll(lost, std::move(status));
  }
}

// Any token may ask for the time, and who does not lead answers before it looks at it.
Status Endpoints::Probe(Endpoint& endpoint, Duration patience) {
  WHARF_RETURN_IF_ERROR(endpoint.Connect(patience, Duration(0)));
  Status told = AskOne(endpoint, patience, [](Endpoint& asked, grpc::ClientContext& context) {
    v1::ClockTime time;
    return asked.stub<v1::Clock::Stub>().Get(&context, v1::GetClockRequest(), &time);
  });
  if (told.code() == ErrorCode::kServiceTimeout) {
    return {ErrorCode::kServiceCommunicationProblem, told.message()};
  }
  return IsElsewhere(told) ? told : Status::Ok();
}

Status Endpoints::Connect(Duration patience) {
  if (!knows_others()) return current()->Connect(patience, kStartPatience);
  Search search(*this, patience);
  while (true) {
    const EndpointPtr endpoint = current();
    Status status = Probe(*endpoint, std::min(patience, kOneOfManyPatience));
    if (status.ok() || !search.MoveOn(*endpoint, status)) return status;
  }
}

Status Endpoints::ConnectToAny(Duration patience) {
  if (!knows_others()) return current()->Connect(patience, kStartPatience);
  Search search(*this, patience);
  while (true) {
    const EndpointPtr endpoint = current();
    Status status = endpoint->Connect(std::min(patience, kOneOfManyPatience), Duration(0));
    if (status.ok() || !search.MoveOn(*endpoint, status)) return status;
  }
}

}  // namespace wharf::client

#include "tools/crash/amqp/amqp_client.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <variant>

#include <absl/strings/numbers.h>
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/crash/amqp/amqp_words.h"

namespace wharf::crash {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// For whatever is asked: the broker answers sooner, or is gone.
constexpr Duration kPatience = seconds(30);

// A node that stands still lets in whoever comes, and says nothing.
constexpr Duration kDialPatience = seconds(3);

// Nor does one that stands still later: after twice this time without a sign of life it is left.
constexpr std::uint32_t kQuietMs = 2000;

amqp::EndpointOptions Options() {
  amqp::EndpointOptions options;
  options.side = amqp::Side::kDials;
  options.has_sasl = true;
  options.open.container_id = "wharf-crash";
  options.open.hostname = "localhost";
  options.open.max_frame_size = 64 * 1024;
  options.open.channel_max = 9;
  options.open.idle_time_out = kQuietMs;
  return options;
}

Status NoBroker(std::string_view why, Outcome outcome) {
  return {ErrorCode::kServiceCommunicationProblem,
          fmt::format("the connection over AMQP is over: {}", why), outcome};
}

// A broker that closes waits for answers, but not for ever: one that leads no more may have none.
Status StatusOf(const amqp::Closed& closed) {
  const std::string why = closed.error ? closed.error->condition.text : "it was closed";
  return NoBroker(why, Outcome::kUnknown);
}

// Whether the peer has such an end for it; if not, the reason comes in a detach.
bool IsAccepted(const amqp::Attach& answer) {
  return answer.role == amqp::Role::kSender ? answer.source.has_value() : answer.target.has_value();
}

}  // namespace

Result<std::unique_ptr<AmqpClient>> AmqpClient::Dial(const std::vector<std::string>& addresses) {
  Status last = NoBroker("there is no address", Outcome::kNotDone);
  for (const std::string& address : addresses) {
    const Result<int> socket = Connect(address);
    if (!socket.ok()) {
      last = socket.status();
      continue;
    }
    std::unique_ptr<AmqpClient> client(new AmqpClient(*socket, Clock::now()));
    last = client->Await([&client] { return client->session_.has_value(); }, kDialPatience);
    if (last.ok()) return client;
  }
  return last;
}

Result<int> AmqpClient::Connect(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  std::uint32_t port = 0;
  sockaddr_in place{};
  place.sin_family = AF_INET;
  const bool is_address = colon != std::string::npos &&
                          absl::SimpleAtoi(address.substr(colon + 1), &port) &&
                          inet_pton(AF_INET, address.substr(0, colon).c_str(), &place.sin_addr);
  if (!is_address) return NoBroker(address + " is no address", Outcome::kNotDone);
  place.sin_port = htons(static_cast<std::uint16_t>(port));
  const int stream = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (stream < 0) return NoBroker(strerror(errno), Outcome::kNotDone);
  if (connect(stream, reinterpret_cast<const sockaddr*>(&place), sizeof(place)) != 0) {
    const int error = errno;
    close(stream);
    return NoBroker(strerror(error), Outcome::kNotDone);
  }
  const int on = 1;
  setsockopt(stream, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  fcntl(stream, F_SETFL, O_NONBLOCK);
  return stream;
}

AmqpClient::AmqpClient(int socket, Clock::time_point now)
    : socket_(socket), endpoint_(Options(), now) {}

AmqpClient::~AmqpClient() {
  AnswerAll(std::nullopt, NoBroker("its client went", Outcome::kUnknown));
  close(socket_);
}

Result<AmqpClient::Opened> AmqpClient::Open(amqp::Attach attach) {
  if (!over_.ok()) return over_;
  attach.name = fmt::format("link-{}", ++names_);
  amqp::Link* const link = endpoint_.FindSession(*session_)->OpenLink(std::move(attach));
  if (link == nullptr) return NoBroker("it has no room for a link", Outcome::kNotDone);
  const amqp::LinkId id = link->id();
  const auto is_answered = [this, id] {
    const auto found = attached_.find(id);
    return detached_.contains(id) || (found != attached_.end() && IsAccepted(found->second));
  };
  WHARF_RETURN_IF_ERROR(Await(is_answered, kPatience));
  if (const auto ended = detached_.find(id); ended != detached_.end()) return ended->second;
  return Opened{id, attached_.at(id)};
}

Status AmqpClient::Detach(amqp::LinkId id) {
  WHARF_RETURN_IF_ERROR(StateOf(id));
  endpoint_.FindLink(id)->SendDetach();
  WHARF_RETURN_IF_ERROR(Await([this, id] { return detached_.contains(id); }, kPatience));
  // The broker may have ended it first, as it does when a session is lost.
  const Status& why = detached_.at(id);
  return why.code() == ErrorCode::kSessionLockLost ? why : Status();
}

void AmqpClient::Send(amqp::LinkId link, Sending sending, Answered answered) {
  if (const Status state = StateOf(link); !state.ok()) return answered(state);
  waiting_.push_back(
      {.link = link, .sending = std::move(sending), .answered = std::move(answered)});
  SendWaiting();
  Flush();
}

void AmqpClient::Settle(amqp::LinkId id, amqp::DeliveryId delivery, amqp::DeliveryState state,
                        Answered answered) {
  if (const Status over = StateOf(id); !over.ok()) return answered(over);
  asked_[{id, delivery}] = std::move(answered);
  endpoint_.FindLink(id)->Settle(delivery, std::move(state), /*is_settled=*/false);
}

void AmqpClient::SetCredit(amqp::LinkId id, std::uint32_t credit) {
  if (StateOf(id).ok()) endpoint_.FindLink(id)->SetCredit(credit);
}

Status AmqpClient::Drain(amqp::LinkId id) {
  WHARF_RETURN_IF_ERROR(StateOf(id));
  amqp::Link& link = *endpoint_.FindLink(id);
  incoming_[id].is_drained = false;
  link.Drain(link.credit());
  WHARF_RETURN_IF_ERROR(
      Await([this, id] { return incoming_[id].is_drained || !StateOf(id).ok(); }, kPatience));
  return incoming_[id].is_drained ? Status() : StateOf(id);
}

std::optional<AmqpClient::Received> AmqpClient::Take(amqp::LinkId link) {
  std::deque<Received>& whole = incoming_[link].whole;
  if (whole.empty()) return std::nullopt;
  Received received = std::move(whole.front());
  whole.pop_front();
  return received;
}

Result<std::optional<AmqpClient::Received>> AmqpClient::AwaitMessage(amqp::LinkId link,
                                                                     Duration patience) {
  const std::deque<Received>& whole = incoming_[link].whole;
  const Status came = Await([&] { return !whole.empty() || !StateOf(link).ok(); }, patience);
  if (!whole.empty()) return Take(link);
  if (came.code() == ErrorCode::kServiceTimeout) return std::optional<Received>();
  return came.ok() ? StateOf(link) : came;
}

Status AmqpClient::AwaitAnswers() {
  return Await([this] { return asked_.empty() && waiting_.empty(); }, kPatience);
}

Status AmqpClient::StateOf(amqp::LinkId link) const {
  if (!over_.ok()) return over_;
  const auto found = detached_.find(link);
  return found == detached_.end() ? Status() : found->second;
}

// --- on the socket

Status AmqpClient::Await(const std::function<bool()>& is_done, Duration patience) {
  const auto until = Clock::now() + patience;
  Work();
  while (!is_done()) {
    if (!over_.ok()) return over_;
    if (Clock::now() >= until) {
      return {ErrorCode::kServiceTimeout, "nothing was heard in time", Outcome::kUnknown};
    }
    Step(until);
  }
  return {};
}

void AmqpClient::Step(Clock::time_point until) {
  Flush();
  if (!over_.ok()) return;
  const auto deadline = std::min(until, endpoint_.Deadline().value_or(until));
  const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
  pollfd what{.fd = socket_, .events = POLLIN, .revents = 0};
  if (!output_.empty()) what.events |= POLLOUT;
  poll(&what, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 1000)));
  if ((what.revents & ~POLLOUT) != 0) ReadSome();
  // Behind what was there to be read: nobody looked while something else was done.
  endpoint_.Tick(Clock::now());
  Work();
}

void AmqpClient::Flush() {
  output_ += endpoint_.TakeOutput(Clock::now());
  while (!output_.empty()) {
    const ssize_t count = send(socket_, output_.data(), output_.size(), MSG_NOSIGNAL);
    // What the broker said before it went may still be read.
    if (count <= 0) return;
    output_.erase(0, static_cast<std::size_t>(count));
  }
}

void AmqpClient::ReadSome() {
  std::array<char, 64 * 1024> bytes;
  const ssize_t count = read(socket_, bytes.data(), bytes.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return End(NoBroker("it was cut off", Outcome::kUnknown));
  endpoint_.Feed({bytes.data(), static_cast<std::size_t>(count)}, Clock::now());
}

void AmqpClient::Work() {
  while (std::optional<amqp::Event> event = endpoint_.Next()) On(*event);
  SendWaiting();
  Flush();
}

void AmqpClient::On(amqp::Event& event) {
  if (std::holds_alternative<amqp::SaslOffered>(event)) {
    amqp::SaslInit init;
    init.mechanism.text = "ANONYMOUS";
    endpoint_.sasl().SendInit(std::move(init));
  } else if (const auto* const finished = std::get_if<amqp::SaslFinished>(&event)) {
    if (finished->outcome.code == amqp::SaslCode::kOk) endpoint_.SendOpen();
  } else if (std::holds_alternative<amqp::Opened>(event)) {
    endpoint_.OpenSession();
  } else if (const auto* const begun = std::get_if<amqp::Begun>(&event)) {
    session_ = begun->session;
  } else if (const auto* const attached = std::get_if<amqp::Attached>(&event)) {
    attached_[attached->link] = attached->attach;
  } else if (const auto* const told = std::get_if<amqp::SenderTold>(&event)) {
    if (told->is_drained) incoming_[told->link].is_drained = true;
  } else if (const auto* const part = std::get_if<amqp::Delivered>(&event)) {
    OnDelivered(*part);
  } else if (const auto* const disposed = std::get_if<amqp::Disposed>(&event)) {
    OnDisposed(*disposed);
  } else if (const auto* const detached = std::get_if<amqp::Detached>(&event)) {
    OnDetached(*detached);
  } else if (std::holds_alternative<amqp::Ended>(event)) {
    End(NoBroker("its session was ended", Outcome::kUnknown));
  } else if (const auto* const closed = std::get_if<amqp::Closed>(&event)) {
    endpoint_.SendClose();
    End(StatusOf(*closed));
  }
}

void AmqpClient::OnDelivered(const amqp::Delivered& part) {
  Incoming& incoming = incoming_[part.link];
  if (part.is_first)
    incoming.part = {.delivery = part.delivery, .tag = part.tag.bytes, .message = {}};
  incoming.part.message += part.payload;
  if (part.is_last && !part.is_aborted) incoming.whole.push_back(std::move(incoming.part));
}

void AmqpClient::OnDisposed(const amqp::Disposed& disposed) {
  for (const amqp::DeliveryRef& ref : disposed.deliveries) {
    if (!disposed.is_settled) {
      if (amqp::Link* const link = endpoint_.FindLink(ref.link)) {
        link->Settle(ref.delivery, std::nullopt);
      }
    }
    const bool is_told = disposed.state.has_value();
    Answer({ref.link, ref.delivery},
           is_told ? AnswerOf(*disposed.state)
                   : Status(ErrorCode::kGeneralError, "an answer has no state"));
  }
}

// What was asked for on a link that the broker ends is not answered any more.
void AmqpClient::OnDetached(const amqp::Detached& detached) {
  if (amqp::Link* const link = endpoint_.FindLink(detached.link)) link->SendDetach();
  Status why(ErrorCode::kServiceCommunicationProblem, "the link is detached");
  if (detached.error) why = StatusOfError(*detached.error);
  detached_[detached.link] = why;
  AnswerAll(detached.link, Status(why.code(), why.message(), Outcome::kUnknown));
}

void AmqpClient::SendWaiting() {
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    amqp::Link* const link = endpoint_.FindLink(next->link);
    if (link == nullptr) return;
    const amqp::OutgoingDelivery delivery{.tag = {fmt::format("{}", ++names_)},
                                          .message_format = next->sending.format,
                                          .state = next->sending.state};
    const std::string_view rest = std::string_view(next->sending.message).substr(next->sent);
    const amqp::SendResult result = link->Send(delivery, rest);
    next->sent += result.taken;
    // No other may come between its parts.
    if (!result.is_done) return;
    asked_[{next->link, result.delivery}] = std::move(next->answered);
    next = waiting_.erase(next);
  }
}

void AmqpClient::End(Status why) {
  if (!over_.ok()) return;
  over_ = std::move(why);
  AnswerAll(std::nullopt, over_);
}

// Who hears it may ask for more.
void AmqpClient::Answer(const Place& place, const Result<amqp::DeliveryState>& state) {
  auto asked = asked_.extract(place);
  if (!asked.empty()) asked.mapped()(state);
}

void AmqpClient::AnswerAll(std::optional<amqp::LinkId> link, const Status& why) {
  std::vector<Answered> unanswered;
  for (auto asked = asked_.begin(); asked != asked_.end();) {
    const bool is_meant = !link || asked->first.first == *link;
    if (is_meant) unanswered.push_back(std::move(asked->second));
    asked = is_meant ? asked_.erase(asked) : std::next(asked);
  }
  // What has not left to its end was never sent.
  const Status unsent(why.code(), why.message());
  std::vector<Answered> unheard;
  for (auto waiting = waiting_.begin(); waiting != waiting_.end();) {
    const bool is_meant = !link || waiting->link == *link;
    if (is_meant) unheard.push_back(std::move(waiting->answered));
    waiting = is_meant ? waiting_.erase(waiting) : std::next(waiting);
  }
  for (const Answered& answered : unanswered) answered(why);
  for (const Answered& answered : unheard) answered(unsent);
}

}  // namespace wharf::crash

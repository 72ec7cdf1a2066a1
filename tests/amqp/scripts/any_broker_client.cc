#include "tests/amqp/scripts/any_broker_client.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "broker/doors/amqp/connection/served_connection.h"
#include "broker/doors/amqp/entities/amqp_message.h"
#include "broker/doors/amqp/entities/broker_door.h"
#include "broker/doors/amqp/entities/links/settlements.h"
#include "tests/amqp/connection/door_client.h"
#include "tests/harness/engine_harness.h"
#include "tests/quiet_log.h"

namespace wharf::amqp {
namespace {

using std::chrono::seconds;
using Kind = Said::Kind;

constexpr std::size_t kOutputMax = 1 << 20;
// Behind so many rounds somebody talks to himself.
constexpr int kRoundsMax = 2000;
constexpr std::int64_t kSecondsMax = 100'000;

void Require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "any broker client: Assertion `%s' failed\n", what.c_str());
  std::abort();
}

// The broker and its door.
class World {
 public:
  using Served = std::shared_ptr<std::unique_ptr<ServedConnection>>;

  explicit World(bool serves_jms) : entities_(serves_jms) {
    if (!serves_jms) world_.client_ids = nullptr;
    gate_.Open(nullptr);
    Make(EntityKind::kQueue, "q");
    Make(EntityKind::kQueue, "letters", /*requires_session=*/true);
    Make(EntityKind::kTopic, "t");
    Make(EntityKind::kSubscription, "t/Subscriptions/s");
    entities_.Open(broker_.broker().requests());
    broker_.Run();
  }

  Served Connect() {
    auto served = std::make_shared<std::unique_ptr<ServedConnection>>();
    *served = std::make_unique<ServedConnection>(
        world_, ServedConnection::Client{.peer = "10.0.0.9:7", .subject = {}},
        [alive = std::weak_ptr(served)](const std::function<void()>& what) {
          const auto there = alive.lock();
          if (there != nullptr && *there != nullptr) what();
        },
        now_);
    return served;
  }
  // In memory of its own size, so that the address sanitizer sees a look beyond. False: it is not
  // listened to any more.
  bool Say(ServedConnection& served, std::string_view bytes) {
    if (!served.wants_input()) return false;
    const std::unique_ptr<char[]> piece(new char[bytes.size()]);
    bytes.copy(piece.get(), bytes.size());
    served.Feed({piece.get(), bytes.size()}, now_);
    return true;
  }
  std::string Hear(ServedConnection& served) {
    served.NoteWritten(now_);
    broker_.Run();
    served.Work(now_);
    Require(served.partial_bytes().taken() <= limits_.partial_bytes_max, "too much is partial");
    return served.TakeOutput(now_);
  }
  void Advance(ServedConnection& served, Duration span) {
    broker_.Advance(span);
    now_ += std::chrono::duration_cast<std::chrono::milliseconds>(span);
    served.Tick(now_);
  }
  // By somebody else; where there is no such entity nothing is.
  void Send(const std::string& path, const std::string& body) {
    std::vector<Message> messages(1);
    messages[0].body = body;
    if (path == "letters") messages[0].session_id = "anna";
    static_cast<void>(broker_.Send(path, std::move(messages)));
  }
  void Close(ServedConnection& served) {
    served.Close({ErrorCode::kServiceBusy, "the test is over"}, now_);
  }
  void Run() { broker_.Run(); }

  bool has_users() { return !entities_.WaitUntilNone(std::chrono::milliseconds(0)); }
  std::int64_t open_links() const { return static_cast<std::int64_t>(counts_.open_links); }
  std::vector<LockInfo> Locks(const std::string& path) {
    auto page = broker_.Await<LockPage>([&](Answer<LockPage> answer) {
      broker_.broker().requests().Ask(
          Caller(), ListLocksRequest{.entity = {path}, .count_max = 1000}, std::move(answer));
    });
    Require(page.ok(), "the locks of " + path + ": " + page.status().ToString());
    return std::move(page->locks);
  }
  std::vector<SessionInfo> Sessions() {
    auto page = broker_.ListSessions({.entity = {"letters"}});
    Require(page.ok(), "the sessions: " + page.status().ToString());
    return std::move(page->sessions);
  }
  std::string FindWrong() { return broker_.FindWrong() + broker_.wrong_turns(); }

 private:
  void Make(EntityKind kind, const std::string& name, bool requires_session = false) {
    QueueDescription description;
    description.name = name;
    description.requires_session = requires_session;
    Require(broker_.Create(kind, description).ok(), name + " was not made");
  }

  const QuietLog quiet_;
  EngineHarness broker_;
  GuardGate gate_;
  const DoorLimits limits_;
  BrokerDoor entities_;
  const std::function<Timestamp()> wall_ = [this] { return broker_.clock().Now(); };
  const amqp::Open open_;
  LogLimit log_limit_{Duration(0)};
  DoorCounts counts_;
  LogLimit told_limit_{Duration(0)};
  ClientIds client_ids_;
  DoorWorld world_{limits_,    gate_,   entities_,   wall_,       open_,
                   log_limit_, counts_, told_limit_, &client_ids_};
  ServedConnection::Instant now_{};
};

// One that follows a script.
class Follower {
 public:
  explicit Follower(World& world) : world_(world), served_(world.Connect()) {}

  // Of who breaks off, what it said last may be on its way to the broker.
  void Follow(const ClientScript& script) {
    for (const Said& said : script.said) Do(said);
    if (!script.breaks_off) HearAll();
  }
  // Its connection breaks.
  void BreakOff() { const auto gone = std::exchange(*served_, nullptr); }
  // It is sent away.
  void Leave() {
    world_.Close(served());
    HearAll();
    Require(served().unanswered_bytes().taken() == 0, "bytes are not answered");
    Require(served().partial_bytes().taken() == 0, "bytes are partial");
    BreakOff();
  }

  const std::vector<std::string>& lines() const { return lines_; }
  // All bytes that it heard.
  const std::string& heard() const { return heard_; }

 private:
  ServedConnection& served() { return **served_; }

  void Do(const Said& said) {
    if (said.kind == Kind::kHear) return HearAll();
    if (said.kind == Kind::kSend) {
      const std::size_t space = std::min(said.body.find(' '), said.body.size());
      return world_.Send(said.body.substr(0, space), said.body.substr(space));
    }
    if (said.kind == Kind::kAdvance) return Advance(said.body);
    if (served().is_over()) return;
    const std::string bytes = WithHeard(said.wire());
    if (world_.Say(served(), bytes)) return;
    HearAll();
    world_.Say(served(), bytes);
  }
  void Advance(const std::string& body) {
    std::int64_t span = 0;
    if (!absl::SimpleAtoi(body, &span)) return;
    world_.Advance(served(), seconds(std::clamp<std::int64_t>(span, 0, kSecondsMax)));
    HearAll();
  }
  std::string WithHeard(const std::string& bytes) const {
    return absl::StrReplaceAll(
        bytes, {{std::string(kHeardTransaction), transaction_}, {std::string(kHeardLock), lock_}});
  }

  void HearAll() {
    int rounds = 0;
    for (std::string answer = world_.Hear(served()); !answer.empty();
         answer = world_.Hear(served())) {
      Require(answer.size() <= kOutputMax, "too much is said at once");
      Require(++rounds < kRoundsMax, "it never ends");
      heard_ += answer;
      NoteHeard(answer);
      for (std::string& line : text_.Read(answer)) {
        Require(line.find("broken: ") == std::string::npos, line);
        lines_.push_back(std::move(line));
      }
    }
  }
  // As they stand in an answer of `$management`, and in one to a declaration.
  void NoteHeard(const std::string& answer) {
    static const std::string kLock = "lock-token\x98";
    static const std::string kDeclared{"\0\x53\x33\xc0\x27\x01\xa0\x24", 8};
    Note(answer, kLock, lock_);
    Note(answer, kDeclared, transaction_);
  }
  static void Note(const std::string& answer, const std::string& head, std::string& noted) {
    const std::size_t at = answer.rfind(head);
    if (at == std::string::npos || at + head.size() + noted.size() > answer.size()) return;
    noted = answer.substr(at + head.size(), noted.size());
  }

  World& world_;
  const World::Served served_;
  FrameText text_;
  std::vector<std::string> lines_;
  std::string heard_;
  std::string transaction_{kHeardTransaction};
  std::string lock_{kHeardLock};
};

// What was locked for a client was told to it, as the tag of a delivery or in an answer of
// `$management`, or is free again.
void CheckLocks(World& world, const std::string& heard) {
  for (const char* const path : {"q", "q/$DeadLetterQueue", "letters", "letters/$DeadLetterQueue",
                                 "t/Subscriptions/s", "t/Subscriptions/s/$DeadLetterQueue"}) {
    for (const LockInfo& lock : world.Locks(path)) {
      const bool was_told = heard.find(TagOf(lock.token).bytes) != std::string::npos ||
                            heard.find(lock.token.ToBytes()) != std::string::npos;
      Require(was_told, std::string("a lock of ") + path + " was never told");
    }
  }
  // Nobody but links has held one (CNT-9).
  for (const SessionInfo& session : world.Sessions()) {
    Require(session.locked_until == kNever, "session " + session.id + " is held by nobody");
  }
}

// The door goes on: somebody else sends, and receives.
void ServeAnother(World& world) {
  const World::Served served = world.Connect();
  DoorClient client({.say = [&](std::string_view bytes) { world.Say(**served, bytes); },
                     .hear = [&] { return world.Hear(**served); }});
  client.Enter();
  client.SayAttach("another sends", 0, Role::kSender, "q");
  Require(!client.Hear(" flow{").empty(), "the next client may not send");
  // A body of one byte.
  client.SayTransfer(0, std::string("\0\x53\x75\xa0\x01x", 6));
  Require(client.Hear(" disposition{").find("accepted") != std::string::npos,
          "what the next client sends is not accepted");
  client.SayAttach("another receives", 1, Role::kReceiver, "q");
  client.SayFlow(1, 1);
  Require(!client.Hear(" transfer{").empty(), "the next client receives nothing");
  (*served).reset();
  world.Run();
}

}  // namespace

std::vector<std::string> TryAnyBrokerClient(const ClientScript& script) {
  World world(script.is_of_jms);
  Follower client(world);
  client.Follow(script);
  script.breaks_off ? client.BreakOff() : client.Leave();
  world.Run();
  Require(!world.has_users(), "somebody is still served");
  Require(world.open_links() == 0, "links are counted that have gone");
  CheckLocks(world, client.heard());
  ServeAnother(world);
  const std::string wrong = world.FindWrong();
  Require(wrong.empty(), wrong);
  return client.lines();
}

}  // namespace wharf::amqp

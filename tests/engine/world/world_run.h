// WorldRun: random requests from a seed to a broker of several entities, some of them under way at
// a time, and whether a WorldModel explains what is heard.
//
//   world_run.cc           the steps, time, crashes
//   world_entities.cc      entities and rules: made, changed, deleted
//   world_sending.cc       messages, scheduled ones among them
//   world_receiving.cc     receivers and what they do with what they got
//   world_long_work.cc     transactions, jobs, purges
//   world_look.cc          everything, compared when all is quiet
//
// The clock stands still while a turn is on its way to the store: so what is answered was decided
// now. A disagreement is a failure of the test that runs it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/world/possible_worlds.h"
#include "tests/harness/engine_harness.h"

namespace wharf {

// What the broker shows of a lane...
struct LaneLook {
  std::map<std::uint64_t, PeekedMessage> messages{};
  std::map<std::uint64_t, PeekedMessage> scheduled{};
  std::map<std::uint64_t, LockInfo> locks{};
};
// ...and of everything.
struct WorldLook {
  // Of the entities that there are.
  std::map<std::string, std::map<LaneKind, LaneLook>> entities{};
  std::map<JobId, JobRecord> jobs{};
};

class WorldRun {
 public:
  explicit WorldRun(std::uint64_t seed, bool is_on_disk = false);

  void Step();
  // When all is quiet, everything is as in the model.
  void CheckAccounts();

 private:
  class Receiver;
  // A request without an answer, and what it does if it happens.
  struct Asked {
    std::string what;
    PossibleWorlds::Event event;
  };
  // A lock that somebody was given.
  struct Held {
    ModelPath path;
    LockToken token;
  };

  std::uint64_t Below(std::uint64_t limit) { return random_.Next() % limit; }
  bool OneIn(std::uint64_t count) { return Below(count) == 0; }
  template <typename Any>
  const Any& OneOf(const std::vector<Any>& all) {
    return all[Below(all.size())];
  }
  Timestamp now() { return engine_.clock().Now(); }
  // Not on a whole second, so that few things are due at once.
  Duration AnySeconds(std::uint64_t least, std::uint64_t most);
  static bool has_failed();

  // Asks the broker for something at these entities. When the answer comes `judge` brings about in
  // a world what was asked for; false: it would have had another answer there. Without an answer,
  // after a crash, it is null. `heard` gets the answer first.
  template <typename T>
  using Judge = std::function<bool(WorldModel& world, const Result<T>* answer)>;
  template <typename T>
  using Heard = std::function<void(const Result<T>& answer)>;
  template <typename T>
  void Ask(
      std::string what, std::set<std::string> where,
      const std::function<void(Broker& broker, Answer<T> answer)>& ask, Judge<T> judge,
      Heard<T> heard = [](const Result<T>&) {});
  // Whether the answer says that it worked, or that it did not.
  template <typename T>
  static bool Agrees(const Result<T>* answer, bool works) {
    return answer == nullptr || answer->ok() == works;
  }
  // Whether a send became this. It was looked up a while before who the original was.
  static bool Became(const SendOutcome& told, const ModelSent& sent) {
    const std::uint64_t number = told.number.value();
    const bool is_gone = sent.gone > 0 && number == sent.gone;
    return told.is_duplicate == sent.is_duplicate && (number == sent.number || is_gone);
  }
  void Explain(const std::string& what, const PossibleWorlds::Event& event);
  void Note(std::string what);
  std::string History() const;

  void Work();
  // All that is under way comes to its end.
  void Finish();
  // With other entities of the same names.
  void StartAnew();
  void Advance();
  void AdvanceTo(Timestamp time);
  void Crash();
  void CrashSometimes();

  // Of the entities that there may be.
  static const std::vector<std::string>& Names();
  static EntityKind KindOf(const std::string& name);
  static bool KeepsMessages(EntityKind kind) { return kind != EntityKind::kTopic; }
  static bool TakesMessages(EntityKind kind) { return kind != EntityKind::kSubscription; }
  // With the topic that it belongs to, or with what belongs to it.
  static std::set<std::string> At(const std::string& name);
  void CreateAll();
  void Create(const std::string& name);
  // Like `fixed` in what cannot change.
  QueueDescription AnyDescription(const QueueDescription& fixed);
  std::optional<std::string> AnyTarget(const std::string& name, bool of_dead_letters);
  void CreateOrUpdate();
  void Delete();
  void ChangeRule();

  // Mostly one that is so; one that is not there, if no such is.
  std::string AnyName(bool (*is_meant)(EntityKind kind));
  ModelPath AnyPath();
  Message AnyMessage();
  // Of an entity's, by their numbers, those that are so; 0 if there is none.
  std::uint64_t AnyNumber(const ModelPath& path, bool (*is_meant)(const ModelMessage&));
  std::uint64_t AnyScheduled(const std::string& name);
  void Send();
  void ChangeScheduled();

  ModelPath AnyReceivable();
  void Attach();
  void Grant();
  void Drain();
  static bool IsDelivered(const Delivered& delivered, const Receiver& receiver, WorldModel& world);
  void TakeDeliveries(const Receiver& receiver, const std::vector<Delivered>& deliveries);
  void TakeDrained(const Receiver& receiver, std::uint64_t left);
  Held AnyHeld();
  Settlement AnySettlement();
  void Settle();
  void Renew();
  void ReceiveDeferred();
  void Undefer();

  void Purge();
  void BeginJob();
  std::shared_ptr<const ModelOperation> AnyOperation();
  static Operation ToldOf(const ModelOperation& operation);
  static bool AgreesWith(const Result<TransactionRecord>* answer,
                         const std::optional<std::vector<WorldModel::Sent>>& expected);
  TransactionId AnyTransaction();
  void RunTransaction();
  void BeginTransaction();
  void AddToTransaction();
  void EndTransaction();

  WorldLook LookAtAll();
  static std::string Difference(const WorldLook& look, const WorldModel& world);
  // Somebody waits although there is something to receive.
  std::string Starving(const WorldModel& world) const;
  // What receivers may have got that a crash came before: locks that nobody has heard of, and what
  // was received without one.
  std::vector<PossibleWorlds::Event> TakenUnheard(const WorldLook& look);

  SeededRandom random_;
  EngineHarness engine_;
  PossibleWorlds worlds_;
  std::deque<std::string> history_;
  std::vector<std::shared_ptr<Asked>> under_way_;
  std::vector<std::shared_ptr<Receiver>> receivers_;
  std::vector<Held> held_;
  std::vector<TransactionId> transactions_;
  std::uint64_t bodies_ = 0;
  // When something was delivered last: the broker knows that it was so late.
  Timestamp told_;
};

template <typename T>
void WorldRun::Ask(std::string what, std::set<std::string> where,
                   const std::function<void(Broker& broker, Answer<T> answer)>& ask, Judge<T> judge,
                   Heard<T> heard) {
  Note("asked: " + what);
  auto asked = std::make_shared<Asked>();
  asked->what = std::move(what);
  asked->event = {where, [judge](WorldModel& world) { return judge(world, nullptr); }};
  under_way_.push_back(asked);
  ask(engine_.broker(), [this, asked, judge, heard, where](Result<T> answer) {
    std::erase(under_way_, asked);
    heard(answer);
    const std::string told = answer.ok() ? "ok" : answer.status().ToString();
    Explain("answered " + told + ": " + asked->what,
            {where, [&](WorldModel& world) { return judge(world, &answer); }});
  });
}

}  // namespace wharf

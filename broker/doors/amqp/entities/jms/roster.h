// Roster: who uses what goes with its users: consumers of a JMS subscription, and the link of a
// temporary queue or topic (JMS-3, JMS-4, JMS-7).
//
// Who uses one has a Place of it. Those of one path come in one at a time, each behind the last
// one's Ready, and none while it is being removed: so nobody meets what another one is about to
// make or to remove. The last place to go takes with it what goes with its users; what cannot be
// removed is tried again with the next place that goes, and at the next start, by the JmsSweep. One
// for a BrokerDoor, shared by what it has asked; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "broker/requests/requests.h"
#include "storage/base/mutex.h"

namespace wharf::amqp {

class Roster : public std::enable_shared_from_this<Roster> {
 public:
  enum class Use : std::uint8_t { kAlone, kShared };

  class Place {
   public:
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    // Others may come in, if the use is a shared one; else they are told that it is used. By who
    // has it.
    void Ready();
    // They wait until this one is gone. Of one that is used alone.
    void HoldOthers();
    // How many have one, with this one.
    std::size_t count() const;
    // Nobody else has one.
    bool is_alone() const { return count() == 1; }
    // It goes when the last place does.
    void GoesWithIt(EntityKind kind);

   private:
    friend class Roster;
    Place(std::shared_ptr<Roster> roster, Requests& requests, std::shared_ptr<void> stay,
          std::string path)
        : stay_(std::move(stay)),
          roster_(std::move(roster)),
          requests_(requests),
          path_(std::move(path)) {}

    // What keeps the broker there, let go of last.
    const std::shared_ptr<void> stay_;
    const std::shared_ptr<Roster> roster_;
    Requests& requests_;
    const std::string path_;
    bool is_ready_ = false;
  };
  using PlacePtr = std::shared_ptr<Place>;
  // An error: it is used otherwise, or too many wait. On any thread.
  using Entered = std::function<void(const Result<PlacePtr>& place)>;

  // Of who waits: gone, it waits no more, and is told nothing unless that is under way.
  class Turn {
   public:
    Turn(std::shared_ptr<Roster> roster, std::string path, std::uint64_t number)
        : roster_(std::move(roster)), path_(std::move(path)), number_(number) {}
    ~Turn() { roster_->GiveUp(path_, number_); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    const std::shared_ptr<Roster> roster_;
    const std::string path_;
    const std::uint64_t number_;
  };
  using TurnPtr = std::unique_ptr<Turn>;

  // Of one path.
  static constexpr std::size_t kWaitingMax = 1000;
  explicit Roster(std::size_t waiting_max = kWaitingMax) : waiting_max_(waiting_max) {}

  // `stay`: while it lives the requests are there. Answered at once, or when it may come in.
  [[nodiscard]] TurnPtr Enter(Requests& requests, std::shared_ptr<void> stay,
                              const std::string& path, Use use, Entered then);
  // There is another broker, and a sweep: what could not be removed before is that one's.
  void ForgetLeftOver();
  // Null: somebody uses it, or is about to.
  PlacePtr TryEnter(Requests& requests, std::shared_ptr<void> stay, const std::string& path);

 private:
  struct Waiting {
    Requests& requests;
    std::shared_ptr<void> stay;
    // The last part of the path, as it is asked for.
    std::string spelled;
    Use use;
    Entered then;
    std::uint64_t number = 0;
  };
  struct Entry {
    // The same of those who have a place.
    std::string spelled{};
    Use use = Use::kAlone;
    std::size_t places = 0;
    // Its last place to come in is not ready.
    bool is_busy = false;
    bool is_going = false;
    // Somebody does it, and sees what changes meanwhile.
    bool is_letting_in = false;
    std::optional<EntityKind> goes_with_it{};
    // A list, for what is taken out of its middle stays out of the lock until it is dropped.
    std::list<Waiting> waiting{};

    bool is_idle() const {
      return places == 0 && !is_going && !goes_with_it.has_value() && waiting.empty();
    }
  };
  // Who is let in, or is told why not.
  struct Told {
    Entered then;
    Result<PlacePtr> place;
  };
  // What could not be removed.
  using LeftOver = std::map<std::string, EntityKind>;
  static constexpr std::size_t kLeftOverMax = 10'000;

  void Ready(const std::string& path);
  void Leave(const Place& place);
  void Remove(const std::string& path, EntityKind kind, Requests& requests,
              std::shared_ptr<void> stay);
  void OnRemoved(const std::string& path, EntityKind kind, const Status& removed);
  // Absent: too many wait, and `next` is as it was.
  std::optional<std::uint64_t> LineUp(const std::string& path, Waiting& next);
  void GiveUp(const std::string& path, std::uint64_t number);
  // Lets in who may come in now, one after another.
  void LetIn(const std::string& path);
  // Absent: nobody any more, and whoever changes that lets in again.
  std::optional<Told> NextToTell(const std::string& path);

  const std::size_t waiting_max_;
  mutable Mutex mutex_;
  // By folded path.
  std::map<std::string, Entry> entries_ ABSL_GUARDED_BY(mutex_);
  std::uint64_t last_number_ ABSL_GUARDED_BY(mutex_) = 0;
  LeftOver left_over_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf::amqp

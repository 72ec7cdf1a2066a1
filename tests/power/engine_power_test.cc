// The whole broker on a disk that loses power.
//
// Clients send, receive and settle, a few at a time, until the power fails in the middle of some
// change of the disk; then the broker starts again on what the disk has kept. Nothing acknowledged
// may be lost, nothing completed may come again, no lock may be given twice, an atomic send is
// there as a whole or not at all, and the counters are those of a recount. Every failure names the
// seed that repeats it:
//
//   power_test --gtest_filter='EnginePowerTest*'         a few cuts
//   WHARF_ROUNDS=200 WHARF_SEED=7000 power_test ...      two hundred, from that seed on

#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "broker/schema/change_encoder.h"
#include "broker/schema/tables.h"
#include "storage/local_commit_log.h"
#include "storage/rocks_store.h"
#include "tests/harness/engine_harness.h"
#include "tests/harness/message_accounts.h"
#include "tests/power/power_loss_file_system.h"
#include "tests/quiet_log.h"

namespace wharf {
namespace {

constexpr const char* kQueue = "orders";
constexpr const char* kDeadLetters = "orders/$DeadLetterQueue";

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Where a message may be, as far as its clients know.
enum Place : unsigned {
  kNowhere = 1,
  kWaiting = 2,
  kLocked = 4,
  kDead = 8,
};

struct Known {
  unsigned places = 0;
  // The token of the lock that a client holds.
  std::optional<LockToken> token;
  // Messages of the same atomic send whose outcome is unknown too.
  std::uint64_t batch = 0;
};

class NoObserver final : public CommitLog::Observer {
  void OnOpen() override {}
  void OnClosed(Status) override {}
};

// The broker between two power cuts.
struct Life {
  explicit Life(std::unique_ptr<RocksStore> opened, std::uint64_t seed)
      : store(std::move(opened)),
        log(std::make_unique<LocalCommitLog>(*store, observer)),
        engine(
            std::make_unique<EngineHarness>(EngineHarness::Options{.seed = seed}, *store, *log)) {}
  ~Life() {
    engine->work().RunUntil([this] { return engine->shard().turns_in_flight() == 0; });
    engine->work().RunAll();
    log.reset();
    engine.reset();
  }
  NoObserver observer;
  std::unique_ptr<RocksStore> store;
  std::unique_ptr<LocalCommitLog> log;
  std::unique_ptr<EngineHarness> engine;
};

class Story {
 public:
  explicit Story(std::uint64_t seed)
      : random_(seed), file_system_(std::make_shared<PowerLossFileSystem>()) {}

  // Works until the power fails, starts again, and checks.
  void CutOnce() {
    Open();
    if (::testing::Test::HasFatalFailure()) return;
    disk().CutPowerAfter(1 + Below(300), random_.Next());
    while (disk().has_power()) Work();
    life_.reset();
    disk().Reboot();
    Open();
    if (::testing::Test::HasFatalFailure()) return;
    Check();
    life_.reset();
  }

 private:
  PowerLossDisk& disk() { return file_system_->disk(); }
  std::uint64_t Below(std::uint64_t limit) { return random_.Next() % limit; }
  Broker& broker() { return life_->engine->broker(); }

  void Open() {
    Result<std::unique_ptr<RocksStore>> store = RocksStore::Open({.path = "/var/lib/wharf",
                                                                  .tables = BrokerTables(),
                                                                  .write_buffer_bytes = 512 << 10,
                                                                  .block_cache_bytes = 1 << 20,
                                                                  .wal_bytes_max = 512 << 10,
                                                                  .file_system = file_system_,
                                                                  .may_sleep = false});
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    if (LoadFolderState(**store)->is_new) {
      const WriteBatch batch = EncodeNewFolder();
      ASSERT_TRUE((*store)->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
    }
    life_ = std::make_unique<Life>(*std::move(store), random_.Next());
    const Status created =
        life_->engine->CreateQueue({.name = kQueue, .lock_duration = std::chrono::hours(24)});
    ASSERT_TRUE(created.ok() || created.code() == ErrorCode::kMessagingEntityAlreadyExists)
        << created.ToString();
  }

  // A few requests at once, so that a turn holds several and several turns are under way.
  void Work() {
    std::size_t under_way = 0;
    for (std::uint64_t count = 1 + Below(4); count > 0; --count) {
      ++under_way;
      switch (Below(4)) {
        case 0:
        case 1:
          Send(under_way);
          break;
        case 2:
          Receive(under_way);
          break;
        default:
          if (!Settle(under_way)) --under_way;
      }
    }
    life_->engine->work().RunUntil([&under_way] { return under_way == 0; });
  }

  void Send(std::size_t& under_way) {
    const bool atomic = Below(2) == 0;
    std::vector<Message> messages(1 + Below(3));
    std::vector<std::string> bodies;
    ++batches_;
    for (Message& message : messages) {
      const std::size_t size = Below(10) == 0 ? Below(20000) : Below(200);
      message.body = fmt::format("{}:{}", ++bodies_, std::string(size, 'b'));
      bodies.push_back(message.body);
      known_[message.body] = {kNowhere, std::nullopt, atomic ? batches_ : 0};
    }
    broker().Send(kQueue, std::move(messages), atomic,
                  [this, bodies, &under_way](const Result<SendReceipt>& receipt) {
                    --under_way;
                    for (const std::string& body : bodies) {
                      Known& known = known_[body];
                      if (receipt.ok()) {
                        known = {kWaiting, std::nullopt, 0};
                      } else if (receipt.status().outcome() == Outcome::kUnknown) {
                        known.places = kNowhere | kWaiting;
                      }
                    }
                  });
  }

  // A receive whose outcome is unknown may have locked anything that waits.
  void Receive(std::size_t& under_way) {
    const bool is_delete = Below(4) == 0;
    const char* path = Below(4) == 0 ? kDeadLetters : kQueue;
    broker().ReceiveOnce(
        {path, is_delete ? ReceiveMode::kReceiveAndDelete : ReceiveMode::kPeekLock, 1 + Below(4),
         std::uint64_t{1} << 30, Duration(0)},
        [this, is_delete, path, &under_way](const Result<std::vector<Delivered>>& received) {
          --under_way;
          if (!received.ok()) {
            return NoteUnknownReceive(path == kQueue ? kWaiting : kDead, is_delete);
          }
          for (const Delivered& delivered : *received) {
            Known& known = known_.at(delivered.message->message.body);
            EXPECT_NE(known.places & (path == kQueue ? kWaiting : kDead), 0U)
                << "message " << delivered.message->number.value()
                << " was delivered from where it cannot be";
            known = {is_delete ? kNowhere : kLocked, std::nullopt, 0};
            if (!is_delete) known.token = delivered.token;
            known_place_[delivered.message->message.body] = path;
          }
        });
  }

  void NoteUnknownReceive(unsigned from, bool is_delete) {
    for (auto& [body, known] : known_) {
      if ((known.places & from) != 0) known.places |= is_delete ? kNowhere : kLocked;
    }
  }

  bool Settle(std::size_t& under_way) {
    std::vector<std::string> locked;
    for (const auto& [body, known] : known_) {
      if (known.token) locked.push_back(body);
    }
    if (locked.empty()) return false;
    const std::string body = locked[Below(locked.size())];
    const LockToken token = *std::exchange(known_[body].token, std::nullopt);
    const std::string path = known_place_[body];
    const bool is_dead = path == kDeadLetters;
    const SettleVerb verbs[] = {SettleVerb::kComplete, SettleVerb::kRelease,
                                is_dead ? SettleVerb::kAbandon : SettleVerb::kDeadLetter};
    const unsigned after[] = {kNowhere, is_dead ? kDead : kWaiting, kDead};
    const std::uint64_t choice = Below(3);
    broker().Settle(
        path, {token}, {.verb = verbs[choice]},
        [this, body, place = after[choice], &under_way](const Result<SettleReceipt>& receipt) {
          --under_way;
          Known& known = known_[body];
          if (receipt.ok()) {
            EXPECT_TRUE(receipt->front().ok()) << receipt->front().ToString();
            known.places = place;
          } else {
            known.places |= place;
          }
        });
    return true;
  }

  void Check() {
    std::map<std::string, unsigned> found;
    FindAll(kQueue, kWaiting, found);
    FindAll(kDeadLetters, kDead, found);
    for (auto& [body, known] : known_) {
      const auto at = found.find(body);
      CheckPlace(body, known, at == found.end() ? unsigned{kNowhere} : at->second);
    }
    EXPECT_EQ(found.size(), Count(known_)) << "there are messages that nobody sent";
    CheckBatches(found);
    CheckLocks();
    const QueueSnapshot snapshot = *life_->engine->GetQueue(kQueue);
    const EntityId id = snapshot.record.id;
    EXPECT_EQ(FindWrongCounters(*life_->store, id, LaneKind::kMain, snapshot.main), "");
    EXPECT_EQ(FindWrongCounters(*life_->store, id, LaneKind::kDeadLetter, snapshot.dead_letter),
              "");
    EXPECT_EQ(FindStrayRows(*life_->store, snapshot), "");
  }

  static std::size_t Count(const std::map<std::string, Known>& known) {
    std::size_t count = 0;
    for (const auto& [body, entry] : known) count += entry.places != kNowhere ? 1 : 0;
    return count;
  }

  // Peek does not tell a lock from a wait; CheckLocks does.
  void FindAll(const char* path, unsigned place, std::map<std::string, unsigned>& found) {
    std::uint64_t from = 0;
    for (;;) {
      const Result<PeekPage> page = life_->engine->Peek(path, from);
      ASSERT_TRUE(page.ok()) << page.status().ToString();
      for (const PeekedMessage& peeked : page->messages) {
        const bool is_new = found.emplace(peeked.message->message.body, place).second;
        EXPECT_TRUE(is_new) << "message " << peeked.message->number.value() << " is there twice";
      }
      if (!page->next) return;
      from = page->next->value();
    }
  }

  void CheckPlace(const std::string& body, Known& known, unsigned place) {
    const bool is_locked_there = (known.places & kLocked) != 0 && place != kNowhere;
    EXPECT_TRUE((known.places & place) != 0 || is_locked_there)
        << "message " << body.substr(0, 20) << " may be in " << known.places << " and is in "
        << place;
    // What was unknown is known now, but for the lock.
    if (place == kNowhere) known = {kNowhere, std::nullopt, known.batch};
  }

  void CheckBatches(const std::map<std::string, unsigned>& found) {
    std::map<std::uint64_t, std::set<bool>> batches;
    for (auto& [body, known] : known_) {
      if (known.batch != 0) batches[known.batch].insert(found.contains(body));
      known.batch = 0;
    }
    for (const auto& [batch, is_there] : batches) {
      EXPECT_EQ(is_there.size(), 1U) << "an atomic send was stored in part";
    }
  }

  // Every lock that a client heard of still settles; and nobody else gets its message.
  void CheckLocks() {
    std::set<std::string> locked;
    for (const auto& [body, known] : known_) {
      if (known.token) locked.insert(body);
    }
    for (const char* path : {kQueue, kDeadLetters}) {
      for (;;) {
        const auto received = life_->engine->Receive(path, 100);
        ASSERT_TRUE(received.ok()) << received.status().ToString();
        if (received->empty()) break;
        for (const Delivered& delivered : *received) {
          const std::string& body = delivered.message->message.body;
          EXPECT_FALSE(locked.contains(body)) << "a lock was given twice";
          known_.at(body) = {kLocked, delivered.token, 0};
          known_place_[body] = path;
        }
      }
    }
    for (auto& [body, known] : known_) {
      if (known.token) {
        EXPECT_TRUE(life_->engine->Release(known_place_[body], *known.token).ok());
        known = {known_place_[body] == kQueue ? kWaiting : kDead, std::nullopt, 0};
      } else if (known.places != kNowhere) {
        ReleaseUnheard(body, known);
      }
    }
  }

  // Locked by a receive whose answer was lost: nobody has the token, so the message is out of the
  // story.
  static void ReleaseUnheard(const std::string& body, Known& known) {
    EXPECT_NE(known.places & kLocked, 0U)
        << "message " << body.substr(0, 20) << " waits, but is not delivered";
    known.places = kLocked;
  }

  SeededRandom random_;
  std::shared_ptr<PowerLossFileSystem> file_system_;
  std::unique_ptr<Life> life_;
  std::map<std::string, Known> known_;
  std::map<std::string, std::string> known_place_;
  std::uint64_t bodies_ = 0;
  std::uint64_t batches_ = 0;
};

// SND-1, LCK-11, DLQ-7, SND-5, RTP-11; reliability 8 to 11 and 13.
TEST(EnginePowerTest, NothingAcknowledgedIsLostAndNothingIsDoneTwice) {
  const QuietLog quiet;
  const std::uint64_t rounds = FromEnvironment("WHARF_ROUNDS", 30);
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  constexpr std::uint64_t kCutsPerDisk = 5;
  for (std::uint64_t cut = 0, seed = first; cut < rounds && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("WHARF_SEED={}", seed));
    Story story(seed);
    for (std::uint64_t i = 0; i < kCutsPerDisk && cut < rounds && !HasFailure(); ++i, ++cut) {
      story.CutOnce();
    }
  }
}

}  // namespace
}  // namespace wharf

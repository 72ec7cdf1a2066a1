// Large messages on a disk that loses power.
//
// Bodies come in pieces and are given up halfway, messages are completed or taken without a lock,
// until the power fails; then the broker starts again on what the disk has kept. Every message that
// was acknowledged is there with its whole body, and no chunk is left that no message names. A
// failure names the seed that repeats it; WHARF_ROUNDS and WHARF_SEED as for the power test.

#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/harness/message_accounts.h"
#include "tests/power/power_life.h"
#include "tests/quiet_log.h"
#include "tests/seed_note.h"

namespace wharf {
namespace {

constexpr const char* kQueue = "scans";
// The last row is short.
constexpr std::size_t kRows = 5;
constexpr std::size_t kBodyBytes = (kRows - 1) * kBodyChunkBytes + 77;

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Every body is its own.
std::string RowOf(std::uint64_t id, std::size_t row) {
  const std::size_t size = row + 1 == kRows ? kBodyBytes % kBodyChunkBytes : kBodyChunkBytes;
  std::string bytes(size, static_cast<char>('a' + row));
  const std::string name = fmt::format("{}:{}", id, row);
  return bytes.replace(0, name.size(), name);
}

// Takes what is there, and knows when that is over.
class TakingSink final : public DeliverySink {
 public:
  void OnDeliveries(std::vector<Delivered> deliveries) override {
    for (Delivered& delivered : deliveries) taken.push_back(std::move(delivered));
  }
  void OnDrained(Credit) override { is_over = true; }
  void OnStopped() override {}
  void OnDetached(Status) override { is_over = true; }

  std::vector<Delivered> taken;
  bool is_over = false;
};

// What is known of a message.
enum class Fate { kThere, kGone, kUnknown };

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
  EngineHarness& engine() { return life_->engine(); }
  Broker& broker() { return life_->engine().broker(); }

  void Open() {
    auto life = PowerLife::Open(file_system_, random_.Next());
    ASSERT_TRUE(life.ok()) << life.status().ToString();
    life_ = *std::move(life);
    const Status created = engine().CreateQueue({.name = kQueue,
                                                 .lock_duration = std::chrono::hours(24),
                                                 .max_message_size_in_kilobytes = 102400});
    ASSERT_TRUE(created.ok() || created.code() == ErrorCode::kMessagingEntityAlreadyExists)
        << created.ToString();
  }

  void Work() {
    std::size_t under_way = 1 + Below(3);
    for (std::size_t i = under_way; i > 0; --i) Upload(under_way);
    engine().work().RunUntil([&under_way] { return under_way == 0; });
    Take(Below(2) == 0 ? ReceiveMode::kPeekLock : ReceiveMode::kReceiveAndDelete, 1 + Below(2));
  }

  // One in four is given up before its end; of every other one only the end tells how long it is.
  void Upload(std::size_t& under_way) {
    const std::uint64_t id = ++last_id_;
    const std::size_t rows = Below(4) == 0 ? Below(kRows) : kRows;
    Message message;
    message.message_id = std::to_string(id);
    fates_[id] = Fate::kUnknown;
    const bool is_open = Below(2) == 0;
    const auto upload = broker().requests().Upload(
        {},
        {.entity = {kQueue},
         .message = message,
         .body_bytes = is_open ? std::nullopt : std::optional<std::uint64_t>(kBodyBytes)},
        [] {},
        [this, id, &under_way](const Result<SendOutcome>& number) {
          --under_way;
          const bool is_unknown = !number.ok() && number.status().outcome() == Outcome::kUnknown;
          fates_[id] = number.ok() ? Fate::kThere : is_unknown ? Fate::kUnknown : Fate::kGone;
        });
    for (std::size_t row = 0; row < rows; ++row) upload->Write(RowOf(id, row));
    if (rows < kRows) {
      upload->Fail({ErrorCode::kArgumentError, "given up"});
    } else if (is_open) {
      upload->End(std::move(message));
    }
  }

  void Take(ReceiveMode mode, std::uint64_t count) {
    const auto sink = std::make_shared<TakingSink>();
    const Result<AttachedReceiver> attached =
        engine().Await<AttachedReceiver>([&](Answer<AttachedReceiver> answer) {
          broker().Attach({kQueue, mode}, sink, std::move(answer));
        });
    if (!attached.ok()) return;
    broker().Grant(attached->id, {count, std::nullopt});
    broker().Drain(attached->id);
    engine().work().RunUntil([&sink] { return sink->is_over; });
    broker().Detach(attached->id);
    const bool is_delete = mode == ReceiveMode::kReceiveAndDelete;
    if (is_delete && !disk().has_power()) NoteUnknownTake();
    for (const Delivered& delivered : sink->taken) is_delete ? Drop(delivered) : Settle(delivered);
  }

  // Whatever waited may have been taken.
  void NoteUnknownTake() {
    for (auto& [id, fate] : fates_) {
      if (fate == Fate::kThere) fate = Fate::kUnknown;
    }
  }

  // Some are never read to their end.
  void Drop(const Delivered& delivered) {
    fates_[IdOf(*delivered.message)] = Fate::kGone;
    if (Below(2) == 0) broker().DropBody(*delivered.message->facts.body_ref);
  }

  void Settle(const Delivered& delivered) {
    const SettleVerb verb = Below(2) == 0 ? SettleVerb::kComplete : SettleVerb::kRelease;
    const Status settled = engine().Settle(kQueue, delivered.token, {.verb = verb});
    if (verb == SettleVerb::kRelease) return;
    fates_[IdOf(*delivered.message)] = settled.ok() ? Fate::kGone : Fate::kUnknown;
  }

  static std::uint64_t IdOf(const StoredMessage& message) {
    return std::stoull(*message.message.message_id);
  }

  void Check() {
    std::map<std::uint64_t, BodyRef> found;
    FindAll(found);
    for (auto& [id, fate] : fates_) {
      const bool is_there = found.contains(id);
      EXPECT_TRUE(fate == Fate::kUnknown || (fate == Fate::kThere) == is_there)
          << "message " << id << (is_there ? " came back" : " is lost");
      fate = is_there ? Fate::kThere : Fate::kGone;
    }
    for (const auto& [id, body] : found) CheckBody(id, body);
    const QueueSnapshot snapshot = *engine().GetQueue(kQueue);
    const EntityId queue = snapshot.record.id;
    EXPECT_EQ(FindWrongCounters(life_->store(), queue, LaneKind::kMain, snapshot.main), "");
    EXPECT_EQ(FindStrayRows(life_->store(), snapshot), "");
  }

  void FindAll(std::map<std::uint64_t, BodyRef>& found) {
    std::uint64_t from = 0;
    for (;;) {
      const Result<PeekPage> page = engine().Peek(kQueue, from);
      ASSERT_TRUE(page.ok()) << page.status().ToString();
      for (const PeekedMessage& peeked : page->messages) {
        found.emplace(IdOf(*peeked.message), *peeked.message->facts.body_ref);
      }
      if (!page->next) return;
      from = page->next->value();
    }
  }

  void CheckBody(std::uint64_t id, const BodyRef& body) {
    for (std::uint32_t row = 0; row < kRows; ++row) {
      const auto read = engine().Await<std::string>([&](Answer<std::string> answer) {
        broker().ReadBodyChunk(body, row, std::move(answer));
      });
      ASSERT_TRUE(read.ok()) << "row " << row << " of message " << id << " is gone";
      EXPECT_TRUE(*read == RowOf(id, row)) << "row " << row << " of message " << id << " is wrong";
    }
  }

  SeededRandom random_;
  std::shared_ptr<PowerLossFileSystem> file_system_;
  std::unique_ptr<PowerLife> life_;
  std::map<std::uint64_t, Fate> fates_;
  std::uint64_t last_id_ = 0;
};

// SND-1, SIZ-8, RCV-1; reliability 8 to 11.
TEST(LargePowerTest, EveryLargeMessageIsWholeOrGone) {
  const QuietLog quiet;
  const std::uint64_t rounds = FromEnvironment("WHARF_ROUNDS", 15);
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  constexpr std::uint64_t kCutsPerDisk = 5;
  for (std::uint64_t cut = 0, seed = first; cut < rounds && !HasFailure(); ++seed) {
    const SeedNote note(fmt::format("WHARF_SEED={}", seed));
    Story story(seed);
    for (std::uint64_t i = 0; i < kCutsPerDisk && cut < rounds && !HasFailure(); ++i, ++cut) {
      story.CutOnce();
    }
  }
}

}  // namespace
}  // namespace wharf

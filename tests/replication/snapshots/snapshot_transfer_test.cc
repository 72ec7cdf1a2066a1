// A snapshot from one folder to another, piece by piece, by messages that get lost, and across ends
// of either side. No thread, no clock but the test's. Reliability 36.

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replication/snapshots/snapshot_receiver.h"
#include "replication/snapshots/snapshot_sender.h"
#include "storage/base/random.h"
#include "tests/quiet_log.h"
#include "tests/seed_note.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

namespace fs = std::filesystem;

constexpr RaftId kSender = 1;
constexpr RaftId kReceiver = 2;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void WriteFile(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

// Both ends, and what is on its way between them.
class TransferTest : public ::testing::Test,
                     public SnapshotSender::World,
                     public SnapshotReceiver::World {
 protected:
  TransferTest() {
    for (const auto& [name, bytes] :
         {std::pair("000007.sst", 2500), {"000009.blob", 1000}, {"CURRENT", 16}, {"EMPTY", 0}}) {
      std::string content;
      for (int i = 0; i < bytes; ++i) content.push_back(static_cast<char>(random_.Next()));
      files_[name] = content;
    }
    StartSender();
    StartReceiver();
  }

  void StartSender() {
    sender_ = std::make_unique<SnapshotSender>(SnapshotSender::Options{.folder = outgoing()},
                                               rocksdb::FileSystem::Default(), *this);
    answers_.clear();
  }
  void StartReceiver() {
    receiver_ = std::make_unique<SnapshotReceiver>(
        SnapshotReceiver::Options{.folder = incoming(),
                                  .piece_bytes = 100,
                                  .pieces_ahead = 3,
                                  .bytes_per_second = bytes_per_second_},
        rocksdb::FileSystem::Default(), *this);
    asks_.clear();
  }

  std::string outgoing() const { return temp_.path() + "/outgoing"; }
  std::string incoming() const { return temp_.path() + "/incoming"; }

  // The leader offers what it has, having made it if it must.
  void Offer(std::uint64_t from = 1) {
    sender_->Want(from, now_);
    const SnapshotManifest* const manifest = sender_->current();
    ASSERT_NE(manifest, nullptr);
    sender_->OnOffered(kReceiver, now_);
    receiver_->OnOffer(
        kSender,
        {manifest->position.index, manifest->position.term, {}, EncodeSnapshotId(manifest->id)},
        "the offer", now_);
  }
  // Delivers what is on its way, once around; what `loses` says is lost.
  void Turn(const std::function<bool()>& loses = [] { return false; }) {
    for (const SnapshotAsk& ask : std::exchange(asks_, {})) {
      if (!loses()) sender_->OnAsk(kReceiver, ask, now_);
    }
    for (SnapshotAnswer& answer : std::exchange(answers_, {})) {
      answered_bytes_ += answer.bytes.size();
      if (!loses()) receiver_->OnAnswer(kSender, std::move(answer), now_);
    }
    now_ += std::chrono::milliseconds(20);
    sender_->Tick(now_);
    receiver_->Tick(now_);
  }
  void TurnUntilDelivered(const std::function<bool()>& loses = [] { return false; }) {
    for (int turns = 0; delivered_.empty() && turns < 100'000; ++turns) Turn(loses);
    ASSERT_THAT(delivered_, ElementsAre("the offer"));
  }
  void ExpectWhole() {
    for (const auto& [name, content] : files_) {
      EXPECT_EQ(ReadFile(incoming() + "/" + name), content) << name;
    }
    EXPECT_EQ(kept_, std::optional<std::uint64_t>(kept_index_));
  }

  // --- SnapshotSender::World ---
  Result<SnapshotManifest> Make(const std::string& folder) override {
    ++made_;
    if (cannot_make_) return Status(ErrorCode::kGeneralError, "the disk is full");
    fs::create_directory(folder);
    for (const auto& [name, content] : files_) WriteFile(folder + "/" + name, content);
    return SnapshotManifest{.id = random_.Next() | 1,
                            .position = {.index = kept_index_, .term = 2, .members = "all"},
                            .files = ReadStateFiles(nullptr, folder).value()};
  }
  void Answer(RaftId /*receiver*/, const SnapshotAnswer& answer) override {
    answers_.push_back(answer);
  }
  void Report(RaftId receiver, bool is_taken) override {
    reported_.emplace_back(receiver, is_taken);
  }
  // --- SnapshotReceiver::World ---
  void Ask(RaftId /*sender*/, const SnapshotAsk& ask) override { asks_.push_back(ask); }
  Status CheckRoom(std::uint64_t bytes) override {
    if (bytes <= free_bytes_) return {};
    return {ErrorCode::kQuotaExceeded, "it does not fit"};
  }
  Status Keep(const StatePosition& position) override {
    if (cannot_keep_) return {ErrorCode::kGeneralError, "the disk is full"};
    kept_ = position.index;
    return {};
  }
  void Deliver(RaftId /*sender*/, std::string offer) override {
    delivered_.push_back(std::move(offer));
  }

  QuietLog quiet_;
  SeededRandom random_{11};
  TempFolder temp_;
  std::map<std::string, std::string> files_;
  std::uint64_t kept_index_ = 40;
  std::uint64_t bytes_per_second_ = 1'000'000;
  Duration now_ = std::chrono::hours(1);
  std::uint64_t free_bytes_ = 1'000'000;
  bool cannot_make_ = false;
  bool cannot_keep_ = false;
  int made_ = 0;
  std::size_t answered_bytes_ = 0;
  std::deque<SnapshotAsk> asks_;
  std::deque<SnapshotAnswer> answers_;
  std::vector<std::pair<RaftId, bool>> reported_;
  std::optional<std::uint64_t> kept_;
  std::vector<std::string> delivered_;
  std::unique_ptr<SnapshotSender> sender_;
  std::unique_ptr<SnapshotReceiver> receiver_;
};

TEST_F(TransferTest, TheFilesComeWholeBeforeTheConsensusHearsOfThem) {
  Offer();
  Turn();
  EXPECT_THAT(delivered_, IsEmpty());

  TurnUntilDelivered();

  ExpectWhole();
  Turn();
  EXPECT_THAT(reported_, ElementsAre(Pair(kReceiver, true)));
  EXPECT_EQ(receiver_->progress(), std::nullopt);
}

TEST_F(TransferTest, WhatIsLostIsAskedForAgain) {
  const std::uint64_t seed = 5;
  const SeedNote note("seed " + std::to_string(seed));
  SeededRandom chance(seed);
  Offer();

  TurnUntilDelivered([&chance] { return chance.Next() % 4 == 0; });

  ExpectWhole();
}

TEST_F(TransferTest, TheReceiverGoesOnWhereItWasKilled) {
  Offer();
  std::size_t kills = 0;
  for (int turns = 0; delivered_.empty() && turns < 10'000; ++turns) {
    Turn();
    if (turns % 2 != 1 || !delivered_.empty()) continue;
    ++kills;
    StartReceiver();
    Offer();
  }

  ASSERT_THAT(delivered_, ElementsAre("the offer"));
  ExpectWhole();
  EXPECT_GT(kills, 5);
  EXPECT_EQ(made_, 1);
  // What was there was not sent again, but for what was on its way.
  EXPECT_LT(answered_bytes_, 3516 + kills * (300 + 500));
}

// A file that reached its size, but not the disk, before the power went.
TEST_F(TransferTest, AFileThatIsOtherwiseAfterAPowerCutComesAgain) {  // reliability 34
  Offer();
  while (!fs::exists(incoming() + "/000009.blob")) Turn();
  std::string damaged = files_["000007.sst"];
  damaged[1200] ^= 1;
  StartReceiver();
  WriteFile(incoming() + "/000007.sst", damaged);
  Offer();

  TurnUntilDelivered();

  ExpectWhole();
}

TEST_F(TransferTest, ATailThatIsOtherwiseIsFoundOutAndComesAgain) {  // reliability 34
  Offer();
  while (!fs::exists(incoming() + "/000007.sst") ||
         fs::file_size(incoming() + "/000007.sst") < 500) {
    Turn();
  }
  StartReceiver();
  WriteFile(incoming() + "/000007.sst", std::string(500, 'x'));
  Offer();

  TurnUntilDelivered();

  ExpectWhole();
}

TEST_F(TransferTest, AnotherSnapshotBeginsAnew) {
  Offer();
  while (!fs::exists(incoming() + "/000009.blob")) Turn();
  StartReceiver();
  StartSender();
  kept_index_ = 50;
  files_["000007.sst"] = "short";
  files_.erase("000009.blob");
  Offer();

  TurnUntilDelivered();

  ExpectWhole();
  EXPECT_FALSE(fs::exists(incoming() + "/000009.blob"));
}

// The leader was another one by then, or a process that had begun again.
TEST_F(TransferTest, ASnapshotThatIsGoneIsLetBe) {
  Offer();
  Turn();
  Turn();
  StartSender();

  for (int turns = 0; turns < 200; ++turns) Turn();

  EXPECT_EQ(receiver_->progress(), std::nullopt);
  EXPECT_THAT(delivered_, IsEmpty());
}

TEST_F(TransferTest, ASenderThatFallsSilentIsNotWaitedForForEver) {
  Offer();
  Turn();
  answers_.clear();
  for (int turns = 0; turns < 1600; ++turns) {
    now_ += std::chrono::milliseconds(20);
    receiver_->Tick(now_);
  }
  EXPECT_EQ(receiver_->progress(), std::nullopt);
}

// Else the consensus would never send it anything again.
TEST_F(TransferTest, AReceiverThatFallsSilentIsReported) {
  Offer();
  for (int turns = 0; turns < 600; ++turns) {
    now_ += std::chrono::milliseconds(20);
    sender_->Tick(now_);
  }
  EXPECT_THAT(reported_, ElementsAre(Pair(kReceiver, false)));
  EXPECT_EQ(sender_->progress(), std::nullopt);
}

TEST_F(TransferTest, WhatNobodyTakesIsRemoved) {
  Offer();
  TurnUntilDelivered();
  Turn();
  EXPECT_TRUE(fs::exists(outgoing()));

  now_ += std::chrono::seconds(61);
  sender_->Tick(now_);

  EXPECT_FALSE(fs::exists(outgoing()));
  EXPECT_EQ(sender_->current(), nullptr);
}

// The time of a look is that of its beginning.
TEST_F(TransferTest, WhatTookLongToMakeIsKeptAllTheSame) {
  sender_->Want(1, now_);
  now_ += std::chrono::minutes(5);
  sender_->Tick(now_);
  EXPECT_NE(sender_->current(), nullptr);

  now_ += std::chrono::seconds(61);
  sender_->Tick(now_);
  EXPECT_EQ(sender_->current(), nullptr);
}

TEST_F(TransferTest, OneAtATimeAndAnOlderOneIsMadeAnew) {
  Offer();
  sender_->Want(45, now_);
  EXPECT_EQ(made_, 1) << "somebody takes it";
  TurnUntilDelivered();
  Turn();

  sender_->Want(40, now_);
  EXPECT_EQ(made_, 1);
  kept_index_ = 45;
  sender_->Want(45, now_);
  EXPECT_EQ(made_, 2);
  EXPECT_EQ(sender_->current()->position.index, 45);
}

TEST_F(TransferTest, OneThatCannotBeMadeIsTriedAgainLater) {
  cannot_make_ = true;
  sender_->Want(1, now_);
  sender_->Want(1, now_ + std::chrono::seconds(4));
  EXPECT_EQ(made_, 1);
  cannot_make_ = false;
  sender_->Want(1, now_ + std::chrono::seconds(6));
  EXPECT_NE(sender_->current(), nullptr);
}

// A full disk, say: not asked again and again.
TEST_F(TransferTest, WhatCannotBeTakenIsReportedAfterAPause) {
  WriteFile(incoming(), "a file where a folder should be");
  Offer();
  Turn();
  Turn();
  EXPECT_THAT(reported_, IsEmpty());
  EXPECT_EQ(receiver_->progress(), std::nullopt);

  for (int turns = 0; turns < 300; ++turns) Turn();

  EXPECT_THAT(reported_, ElementsAre(Pair(kReceiver, false)));
}

// What is there of it would only fill the disk.
TEST_F(TransferTest, WhatIsRefusedLeavesNothingBehind) {
  Offer();
  while (!fs::exists(incoming() + "/000009.blob")) Turn();
  cannot_keep_ = true;

  for (int turns = 0; turns < 300; ++turns) Turn();

  EXPECT_THAT(delivered_, IsEmpty());
  EXPECT_THAT(reported_, ElementsAre(Pair(kReceiver, false)));
  EXPECT_FALSE(fs::exists(incoming()));
}

TEST_F(TransferTest, WhatDoesNotFitIsRefusedBeforeAByteOfItCame) {
  free_bytes_ = 3515;
  Offer();

  for (int turns = 0; turns < 300; ++turns) Turn();

  EXPECT_THAT(receiver_->refusal(), HasSubstr("as of entry 40 cannot be taken: it does not fit"));
  EXPECT_THAT(reported_, ElementsAre(Pair(kReceiver, false)));
  EXPECT_FALSE(fs::exists(incoming()));
  // It is offered again, and there is room by then.
  free_bytes_ = 3516;
  Offer();
  TurnUntilDelivered();
  ExpectWhole();
  EXPECT_EQ(receiver_->refusal(), "");
  EXPECT_EQ(made_, 1);
}

// What is here already takes no more room.
TEST_F(TransferTest, WhatIsGoneOnWithNeedsRoomForTheRestAlone) {
  Offer();
  while (!fs::exists(incoming() + "/000009.blob")) Turn();
  StartReceiver();
  free_bytes_ = 1016;
  Offer();

  TurnUntilDelivered();

  ExpectWhole();
}

// Whoever has no room may have none for days, and the log of the leader would grow as long.
TEST_F(TransferTest, TheLogIsNotKeptForWhoRefuses) {
  EXPECT_FALSE(sender_->pins_log());
  free_bytes_ = 0;
  Offer();
  EXPECT_TRUE(sender_->pins_log());
  for (int turns = 0; turns < 300; ++turns) Turn();
  EXPECT_FALSE(sender_->pins_log());

  free_bytes_ = 1'000'000;
  Offer();
  for (int turns = 0; turns < 3; ++turns) Turn();

  EXPECT_TRUE(sender_->pins_log());
}

TEST_F(TransferTest, ItGoesNoFasterThanItMay) {
  bytes_per_second_ = 1000;
  StartReceiver();
  Offer();
  const Duration began = now_;

  TurnUntilDelivered();

  // All but the last pieces that were asked for ahead.
  EXPECT_GE(now_ - began, std::chrono::milliseconds(3516 - 400));
  EXPECT_LE(now_ - began, std::chrono::milliseconds(3516 + 1000));
}

TEST_F(TransferTest, OnlyTheSenderIsBelieved) {
  Offer();
  const SnapshotManifest& manifest = *sender_->current();
  receiver_->OnAnswer(3, {.snapshot = manifest.id, .kind = SnapshotAnswer::Kind::kGone}, now_);
  EXPECT_NE(receiver_->progress(), std::nullopt);
}

TEST_F(TransferTest, FilesOfAnotherPlaceAreRefused) {
  Offer();
  Turn();
  StartReceiver();
  const SnapshotManifest& manifest = *sender_->current();
  receiver_->OnOffer(kSender, {41, 2, {}, EncodeSnapshotId(manifest.id)}, "another", now_);

  Turn();

  EXPECT_EQ(receiver_->progress(), std::nullopt);
  EXPECT_THAT(delivered_, IsEmpty());
}

TEST_F(TransferTest, WhatAsksForWhatThereIsNotHearsThatItIsGone) {
  Offer();
  const std::uint64_t id = sender_->current()->id;
  for (const SnapshotAsk& ask :
       {SnapshotAsk{.snapshot = id, .kind = SnapshotAsk::Kind::kPiece, .file = 9, .bytes = 10},
        SnapshotAsk{.snapshot = id,
        .kind = SnapshotAsk::Kind::kPiece,
        .file = 0,
        .offset = std::uint64_t{1} << 60,
        .bytes = 10}}) {
    answers_.clear();
    sender_->OnAsk(kReceiver, ask, now_);
    ASSERT_EQ(answers_.size(), 1);
    EXPECT_EQ(answers_.front().kind, SnapshotAnswer::Kind::kGone);
  }
}

TEST(SnapshotIdTest, OnlyNumbersAreIds) {
  EXPECT_EQ(DecodeSnapshotId(EncodeSnapshotId(~std::uint64_t{0})), ~std::uint64_t{0});
  for (const char* const text : {"", "0", "x", "1x", "-1", "99999999999999999999999"}) {
    EXPECT_EQ(DecodeSnapshotId(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace wharf

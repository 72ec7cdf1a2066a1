#include "broker/daemon/cluster/node_access.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/daemon/listening/root_access.h"
#include "broker/schema/access_loader.h"
#include "broker/schema/change_encoder.h"
#include "broker/schema/tables.h"
#include "storage/memory/memory_commit_log.h"
#include "storage/memory/memory_store.h"
#include "tests/access/sample_rules.h"
#include "tests/heard_log.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using ::testing::HasSubstr;
using Mode = NodeAccess::Mode;

class NoListener final : public CommitLog::ApplyListener {
 public:
  void OnApplied(BatchNotes /*notes*/) override { ++applied; }
  int applied = 0;
};

// A node with a store of its own, of which each test is the leader, or who hears of one.
class NodeAccessTest : public ::testing::Test {
 protected:
  std::unique_ptr<NodeAccess> Node(Mode mode) {
    return std::make_unique<NodeAccess>(
        NodeAccess::Options{.mode = mode,
                            .clients = std::make_shared<const access::ClientRules>(),
                            .folder = folder_.path(),
                            .says_off = says_off_,
                            .endpoint = std::string("sb://host:5680/")},
        NodeAccess::World{store_, listener_, [](const Status& why) { FAIL() << why.message(); }});
  }
  static std::unique_ptr<MemoryCommitLog> LogOf(MemoryStore& store, NodeAccess& node) {
    return std::make_unique<MemoryCommitLog>(
        store, MemoryCommitLog::World{.applied = &node.listener(), .row = BrokerAppliedIndex()});
  }
  Result<access::Guard*> Lead(NodeAccess& node) {
    BrokerImage image = *LoadBroker(store_);
    return node.BeginLeading(*LogOf(store_, node), access::kSampleNow, image);
  }
  void Commit(NodeAccess& node, const Change& change) {
    Changes changes;
    changes.push_back(change);
    WriteBatch batch;
    Encode(changes, batch);
    LogOf(store_, node)->Append(std::move(batch), [](Result<CommitIndex> done) {
      ASSERT_TRUE(done.ok());
    });
  }
  std::filesystem::path file() const { return folder_.path() + "/" + kRootFile; }
  std::string FileText() const {
    std::ifstream in(file());
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string says_off_;
  const TempFolder folder_;
  MemoryStore store_{BrokerTables()};
  NoListener listener_;
};

const AccessRuleSet kReader{EntityId(), access::SampleRule("reader", access::Right::kListen)};

TEST_F(NodeAccessTest, ANodeThatWaitsMakesNoRule) {
  const auto node = Node(Mode::kOn);
  ASSERT_TRUE(node->Begin().ok());

  EXPECT_EQ(LoadAccessBook(store_)->size(), 0U);
  EXPECT_TRUE(node->guard()->is_obeyed());
  EXPECT_EQ(node->root_file(), "");
}

TEST_F(NodeAccessTest, WhoLeadsFirstMakesTheFirstRuleAndItsFile) {  // SEC-3
  const auto node = Node(Mode::kOn);
  BrokerImage image = *LoadBroker(store_);

  ASSERT_EQ(*node->BeginLeading(*LogOf(store_, *node), access::kSampleNow, image), node->guard());

  ASSERT_EQ(image.access_rules.size(), 1U);
  const access::Book book = *LoadAccessBook(store_);
  const access::AccessRule* const rule = book.Find("", access::kRootRuleName);
  ASSERT_NE(rule, nullptr);
  EXPECT_THAT(FileText(), HasSubstr(rule->key(access::KeySlot::kPrimary)));
  EXPECT_THAT(FileText(), HasSubstr("sb://host:5680/"));
  EXPECT_EQ(std::filesystem::status(file()).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(node->root_file(), file());
}

TEST_F(NodeAccessTest, ALaterLeaderLeavesRuleAndFileAlone) {
  ASSERT_TRUE(Lead(*Node(Mode::kOn)).ok());
  const std::string text = FileText();
  std::filesystem::remove(file());

  ASSERT_TRUE(Lead(*Node(Mode::kOn)).ok());

  EXPECT_FALSE(std::filesystem::exists(file()));
  EXPECT_EQ(LoadAccessBook(store_)->size(), 1U);
  EXPECT_NE(text, "");
}

TEST_F(NodeAccessTest, AFileThatWasNotWrittenIsWrittenByWhoLeadsNext) {
  std::filesystem::create_directories(file().string() + ".dbtmp/in-the-way");
  EXPECT_EQ(Lead(*Node(Mode::kOn)).status().code(), ErrorCode::kGeneralError);
  std::filesystem::remove_all(file().string() + ".dbtmp");

  ASSERT_TRUE(Lead(*Node(Mode::kOn)).ok());

  EXPECT_EQ(LoadAccessBook(store_)->size(), 1U);
  EXPECT_NE(FileText(), "");
}

TEST_F(NodeAccessTest, ALeadershipThatEndsMeanwhileLeavesNothingBehind) {
  const auto node = Node(Mode::kOn);
  ASSERT_TRUE(node->Begin().ok());
  const auto log = LogOf(store_, *node);
  log->Close(Status::NotOwned({}, "another one leads"));
  BrokerImage image = *LoadBroker(store_);

  const Result<access::Guard*> guard = node->BeginLeading(*log, access::kSampleNow, image);

  EXPECT_TRUE(IsTransient(guard.status().code()));
  EXPECT_FALSE(std::filesystem::exists(file()));
  // It follows again.
  Commit(*node, kReader);
  ASSERT_TRUE(node->Begin().ok());
  EXPECT_EQ(node->guard()->book()->size(), 1U);
}

TEST_F(NodeAccessTest, WhereNobodySaidSoNoRuleIsMadeAndOneThatComesIsObeyed) {
  const auto node = Node(Mode::kFromFirstRule);
  EXPECT_EQ(*Lead(*node), nullptr);
  EXPECT_EQ(LoadAccessBook(store_)->size(), 0U);
  node->EndLeading();

  Commit(*node, kReader);

  EXPECT_EQ(*Lead(*node), node->guard());
  EXPECT_EQ(LoadAccessBook(store_)->size(), 2U);  // With that alone nobody could manage it.
}

TEST_F(NodeAccessTest, WhoSaysOffInAFileIsToldThatRulesAreObeyed) {
  says_off_ = "wharfd.toml:3";
  const auto node = Node(Mode::kFromFirstRule);
  ASSERT_TRUE(node->Begin().ok());
  // Before the rule is there: the node may look at any time.
  const HeardLog log;
  Commit(*node, kReader);

  while (log.lines().empty()) std::this_thread::yield();

  EXPECT_THAT(log.lines().front(), HasSubstr("wharfd.toml:3 says that access is off, and the"));
  EXPECT_TRUE(node->guard()->is_obeyed());
}

TEST_F(NodeAccessTest, OffIsOffAndTheLogSaysWhatThatMeans) {
  ASSERT_TRUE(Lead(*Node(Mode::kOn)).ok());
  const HeardLog log;

  const auto node = Node(Mode::kOff);

  ASSERT_TRUE(node->Begin().ok());
  EXPECT_EQ(node->guard(), nullptr);
  EXPECT_EQ(*Lead(*node), nullptr);
  ASSERT_FALSE(log.lines().empty());
  EXPECT_THAT(log.lines().front(), HasSubstr("access is off, though the cluster has 1 access"));
}

// --- the book of a node that does not lead

class FollowedBookTest : public NodeAccessTest {
 protected:
  const access::AccessRule* Reader() {
    EXPECT_TRUE(book_.Look().ok());
    return guard_.book()->Find("", "reader");
  }
  void Apply(const Change& change) {
    Changes changes;
    changes.push_back(change);
    WriteBatch batch;
    Encode(changes, batch);
    log_.Append(std::move(batch), [](Result<CommitIndex> done) { ASSERT_TRUE(done.ok()); });
  }

  access::Guard guard_{std::make_shared<const access::Book>(), [] { return access::kSampleNow; }};
  FollowedBook book_{store_, guard_, listener_};
  MemoryCommitLog log_{store_, {.applied = &book_, .row = BrokerAppliedIndex()}};
};

TEST_F(FollowedBookTest, RulesThatAreAppliedAreObeyed) {
  EXPECT_EQ(Reader(), nullptr);

  Apply(kReader);
  ASSERT_NE(Reader(), nullptr);
  Apply(AccessRuleSet{EntityId(),
                      kReader.rule->WithKey(access::KeySlot::kPrimary, access::kKeyThree)});
  ASSERT_NE(Reader(), nullptr);
  EXPECT_FALSE(Reader()->HasKey(access::PrintOf(access::kKeyOne)));
  Apply(AccessRuleRemoved{EntityId(), "reader"});
  EXPECT_EQ(Reader(), nullptr);
  EXPECT_EQ(listener_.applied, 3);  // Who listens behind it hears of all.
}

TEST_F(FollowedBookTest, WhatChangesNoRuleIsNotReadForIt) {
  ASSERT_TRUE(book_.Look().ok());
  const auto before = guard_.book();

  log_.Append(EncodeFormat(), [](Result<CommitIndex> done) { ASSERT_TRUE(done.ok()); });

  ASSERT_TRUE(book_.Look().ok());
  EXPECT_EQ(guard_.book(), before);
}

TEST_F(FollowedBookTest, WhileAShardMakesBooksTheStoreIsNotRead) {
  book_.Pause();
  const auto of_shard = std::make_shared<const access::Book>();
  guard_.Publish(of_shard);
  Apply(kReader);
  EXPECT_EQ(Reader(), nullptr);
  EXPECT_EQ(guard_.book(), of_shard);

  book_.GoOn();

  EXPECT_NE(Reader(), nullptr);
}

}  // namespace
}  // namespace wharf

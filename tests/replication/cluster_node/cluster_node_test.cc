// Three nodes of a cluster in one process, with everything of theirs but the broker: logs and
// states on disk, streams over loopback. Reliability 30, 31, 66.

#include "replication/cluster_node/cluster_node.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replication/cluster_node/node_store.h"
#include "replication/cluster_node/recovery.h"
#include "storage/base/clock.h"
#include "tests/quiet_log.h"
#include "tests/storage/damaged_block.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace fs = std::filesystem;

constexpr TableId kRows = 0;
constexpr TableId kMeta = 1;
const StatePositionRow kPosition{.table = kMeta};
const AppliedIndexRow kIndex{.table = kMeta};
// On a machine that has much else to do.
constexpr auto kPatience = std::chrono::seconds(60);

// Looks again and again; false: not in time.
bool Eventually(const std::function<bool()>& is_so) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

// As a state whose rows are otherwise from the level on that there is now.
const std::string kFormat = "format";
WriteBatch FormatOf(std::uint64_t level) {
  WriteBatch batch;
  if (level == kFormatLevelMax) batch.Put(kMeta, kFormat, "new");
  return batch;
}

class WallClock final : public Clock {
 public:
  Timestamp Now() override {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()) + ahead;
  }

  Duration ahead{};
};

// One machine: a folder that stays, and what runs on it.
class Machine final : public RaftThread::Leaderships, public CommitLog::Observer {
 public:
  explicit Machine(std::string name) : name_(std::move(name)) {}
  ~Machine() override { Stop(); }

  std::string data() const { return folder_.path() + "/data"; }
  RocksStoreOptions StoreOptions() const {
    return {.path = data(), .tables = {{.name = "rows"}, {.name = "meta"}}, .position = kPosition};
  }

  NodeFolder folder() { return NodeFolder(data(), random_); }

  // As the daemon does it.
  Result<bool> OpenStore() {
    Result<NodeStore> opened = OpenNodeStore(folder(), name_, StoreOptions());
    if (!opened.ok()) return opened.status();
    store_ = std::move(opened->store);
    lost_ = std::move(opened->lost);
    return opened->is_single;
  }
  Status TryStart() {
    const Result<bool> is_single = OpenStore();
    if (!is_single.ok()) return is_single.status();
    auto node = ClusterNode::Open(NodeOptions(), {*store_,
                                                  kIndex,
                                                  kPosition,
                                                  nullptr,
                                                  wall_,
                                                  *this,
                                                  *is_single,
                                                  [this] { is_reopening_ = true; },
                                                  [this] { return disk(); },
                                                  lost_,
                                                  {},
                                                  FormatOf});
    if (!node.ok()) return node.status();
    node_ = *std::move(node);
    port_ = node_->port();
    return {};
  }
  ClusterNode::Options NodeOptions() const {
    ClusterNode::Options options{.data = data(),
                                 .name = name_,
                                 .listen = {boost::asio::ip::address_v4::loopback(), port_},
                                 .client_address = "clients-of-" + name_,
                                 .library = WHARF_RAFT_LIBRARY,
                                 .security = {.plain = PlainPeers::kThisMachine}};
    options.raft.tick = std::chrono::milliseconds(20);
    options.log_bound = log_bound;
    options.segment_bytes = segment_bytes;
    options.free_bytes_to_lead = 1000;
    options.snapshot_bytes_per_second = snapshot_rate;
    options.verify.comparison.range_bytes = 1000;
    options.format_level_max = format_level_max;
    return options;
  }
  void Start() {
    const Status started = TryStart();
    ASSERT_TRUE(started.ok()) << started.message();
  }
  // What it had in memory is gone: the state as of the last flush, and the log, are not.
  void Stop() {
    node_.reset();
    store_.reset();
  }

  // If the node said that it is to be opened anew; what asks it does so first.
  void Tend() {
    if (!is_reopening_.exchange(false)) return;
    ++reopened;
    Stop();
    Start();
  }
  // A broker by itself, which was in this folder before.
  void KeepAlone(const std::string& key, const std::string& value) {
    RocksStoreOptions options = StoreOptions();
    options.position.reset();
    auto store = RocksStore::Open(options).value();
    WriteBatch batch;
    batch.Put(kRows, key, value);
    ASSERT_TRUE(store->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
  }

  // Of a machine that is stopped: the cluster that it belongs to, after it was made one of its own
  // if `accepts_loss`.
  Result<ClusterId> Recovered(bool accepts_loss) {
    const auto library = RaftLibrary::Open(WHARF_RAFT_LIBRARY).value();
    const Recovery recovery({data(), name_, *library, StoreOptions(), kIndex, random_, FormatOf});
    if (accepts_loss) return recovery.Recover();
    const Result<Recovery::Survivor> survivor = recovery.Look();
    if (!survivor.ok()) return survivor.status();
    return survivor->identity.cluster;
  }
  // Its process ended when nobody knew any more whose folder it is.
  Status BreakRecoveryOff() {
    const NodeFolder folder(data(), random_);
    Status broken = Recovered(true).status();
    if (broken.ok()) broken = folder.BeginRecovery();
    return broken.ok() ? folder.ForgetIdentity() : broken;
  }

  DiskReport disk() const { return {.free_bytes = free_bytes}; }

  // From the next start on.
  void Rename(std::string name) { name_ = std::move(name); }

  ClusterNode& node() {
    Tend();
    return *node_;
  }
  RocksStore& store() { return *store_; }
  const std::string& name() const { return name_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  std::shared_ptr<RaftCommitLog> log() {
    MutexLock lock(mutex_);
    return log_;
  }
  bool leads() { return log() != nullptr; }
  // What its state says of its format; of what is written, as what leads would say it.
  std::string Format() {
    Tend();
    return store_->View()->Get(kMeta, kFormat).value().value_or("none");
  }
  std::optional<std::string> Row(const std::string& key) {
    Tend();
    return store_->View()->Get(kRows, key).value();
  }

  static Status Wait(const std::function<void(ClusterNode::Done)>& ask) {
    std::promise<Status> told;
    ask([&told](Status status) { told.set_value(std::move(status)); });
    return told.get_future().get();
  }
  Status Found() {
    return Wait([this](auto done) { node_->Found(std::move(done)); });
  }
  Status Add(const std::string& name, const std::string& address) {
    return Wait([&](auto done) { node_->Add(name, address, std::move(done)); });
  }
  Status Remove(const std::string& name) {
    return Wait([&](auto done) { node_->Remove(name, std::move(done)); });
  }
  Status Transfer(const std::string& name) {
    return Wait([&](auto done) { node_->Transfer(name, std::move(done)); });
  }
  NodeReport Report() {
    Tend();
    std::promise<Result<NodeReport>> told;
    node_->Report([&told](Result<NodeReport> report) { told.set_value(std::move(report)); });
    return told.get_future().get().value();
  }
  // How a comparison ended that begins now, of all states.
  StateReport Compared() {
    const auto ask = [this](ClusterNode::Comparing what) {
      std::promise<Result<StateReport>> told;
      node_->CompareStates(what, [&told](Result<StateReport> r) { told.set_value(std::move(r)); });
      return told.get_future().get();
    };
    Result<StateReport> report = ask(ClusterNode::Comparing::kBegin);
    EXPECT_TRUE(Eventually([&] {
      if (report.ok() && report->progress.is_under_way) report = ask(ClusterNode::Comparing::kLook);
      return !report.ok() || !report->progress.is_under_way;
    }));
    EXPECT_TRUE(report.ok()) << report.status().message();
    return report.ok() ? *report : StateReport();
  }
  // Of a machine that is stopped, whose state was flushed with that row: it is another one now.
  void Falsify(const std::string& key, const std::string& value) {
    RocksStoreOptions options = StoreOptions();
    options.path = StateFolder(data()).path().value();
    auto store = RocksStore::Open(options).value();
    WriteBatch batch;
    batch.Put(kRows, key, value);
    ASSERT_TRUE(store->Write({&batch, 1}, RocksStore::Sync::kNo).ok());
    ASSERT_TRUE(store->Flush().ok());
  }

  // Names of those who vote, as this node knows it.
  std::vector<std::string> Voters() {
    std::vector<std::string> names;
    for (const MemberReport& member : Report().members) {
      if (member.is_voter) names.push_back(member.record.name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  // --- RaftThread::Leaderships ---
  std::shared_ptr<RaftCommitLog> OnLeading(std::uint64_t term, CommitIndex last,
                                           std::function<void()> wake) override {
    MutexLock lock(mutex_);
    log_ = std::make_shared<RaftCommitLog>(
        RaftCommitLog::Options(), RaftCommitLog::World{*this, store_->tables(), wall_, wake}, term,
        last);
    return log_;
  }
  void OnLeadingEnded() override {
    MutexLock lock(mutex_);
    log_.reset();
  }
  void OnHanging(const RaftCommitLog& /*log*/) override {}
  void OnFailed(const Status& status) override { ADD_FAILURE() << status.message(); }
  // --- CommitLog::Observer ---
  void OnOpen() override {}
  void OnClosed(Status /*reason*/) override {}

  void SetClockAhead(Duration ahead) { wall_.ahead = ahead; }

  std::uint64_t format_level_max = kFormatLevelMax;
  LogBound log_bound{};
  std::size_t segment_bytes = std::size_t{64} << 20;
  std::uint64_t snapshot_rate = std::uint64_t{64} << 20;
  int reopened = 0;
  std::atomic<std::uint64_t> free_bytes = std::uint64_t{1} << 40;

 private:
  std::string name_;
  TempFolder folder_;
  SystemRandom random_;
  std::atomic<bool> is_reopening_ = false;
  WallClock wall_;
  std::uint16_t port_ = 0;
  std::unique_ptr<RocksStore> store_;
  std::string lost_;
  Mutex mutex_;
  std::shared_ptr<RaftCommitLog> log_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<ClusterNode> node_;
};

// Another node, of which there is no more than its streams.
class Inviter final : public Peers::Observer {
 public:
  Inviter()
      : work_(boost::asio::make_work_guard(io_)),
        thread_([this] { io_.run(); }),
        peers_(io_.get_executor(), "z", 1, {.plain = PlainPeers::kThisMachine}, {}, wall_, random_,
               *this) {
    const auto port = peers_.Listen({boost::asio::ip::address_v4::loopback(), 0});
    self_ = {NodeId(7), "z", "127.0.0.1:" + std::to_string(port.value())};
    peers_.BeNode({cluster_, self_.node, self_.name}, 1);
  }
  ~Inviter() override {
    peers_.Stop();
    work_.reset();
    thread_.join();
  }

  Status Invite(const std::string& name, const std::string& address) {
    invited_ = {NodeId(8), name, address};
    peers_.SetMembers({self_, invited_});
    Invitation invitation;
    invitation.from_name = self_.name;
    invitation.identity = {cluster_, invited_.node, name};
    invitation.members = {self_};
    std::promise<Status> told;
    peers_.Invite(invitation, address, [&told](const Status& taken) { told.set_value(taken); });
    return told.get_future().get();
  }
  // The invited one lets this node in, because it knows it; nobody else is let in.
  bool is_let_in() {
    const std::vector<PeerStatus> peers = peers_.statuses();
    return std::any_of(peers.begin(), peers.end(), [this](const PeerStatus& peer) {
      return peer.member == invited_ && peer.is_connected;
    });
  }

  void OnMessage(NodeId /*from*/, Traffic /*traffic*/, std::string /*message*/) override {}
  void OnUnreachable(NodeId /*node*/) override {}
  void OnInvited(const Invitation& /*invitation*/, Answer answer) override { answer({}); }
  Status OnRelayed(const RelayedClient& /*client*/, Descriptor /*connection*/) override {
    return {ErrorCode::kNotImplemented, "nobody is served here"};
  }
  std::uint64_t MembersKnownUpTo() override { return 0; }
  NodeId Leader() override { return {}; }

 private:
  SystemRandom random_;
  WallClock wall_;
  const ClusterId cluster_ = DrawClusterId(random_);
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::thread thread_;
  Peers peers_;
  Member self_;
  Member invited_;
};

class ClusterNodeTest : public ::testing::Test {
 protected:
  void StartAll() {
    for (Machine* machine : all()) machine->Start();
  }
  void FoundThree() {
    StartAll();
    ASSERT_TRUE(a_.Found().ok());
    ASSERT_TRUE(Eventually([this] { return a_.leads(); }));
    for (Machine* other : {&b_, &c_}) {
      const Status added = a_.Add(other->name(), other->address());
      ASSERT_TRUE(added.ok()) << added.message();
    }
    ASSERT_TRUE(Eventually([this] { return a_.Voters().size() == 3; }));
  }

  std::vector<Machine*> all() { return {&a_, &b_, &c_}; }
  // Of those that run; waits until there is one.
  Machine* Leader(const std::vector<Machine*>& running) {
    Machine* leader = nullptr;
    EXPECT_TRUE(Eventually([&] {
      for (Machine* machine : running) {
        if (machine->leads()) leader = machine;
      }
      return leader != nullptr;
    }));
    return leader;
  }

  // That a transfer was begun is no promise: on a slow machine an election may come between, and
  // whoever leads then hands over.
  void Lead(Machine& machine) {
    ASSERT_TRUE(Eventually([&] {
      if (machine.leads()) return true;
      static_cast<void>(Leader(all())->Transfer(machine.name()));
      return false;
    }));
  }

  static Result<CommitIndex> Put(Machine& leader, const std::string& key,
                                 const std::string& value) {
    const auto log = leader.log();
    if (log == nullptr) return Status(ErrorCode::kServiceCommunicationProblem, "it leads no more");
    WriteBatch batch;
    batch.Put(kRows, key, value);
    std::promise<Result<CommitIndex>> told;
    log->Append(std::move(batch), [&told](Result<CommitIndex> r) { told.set_value(std::move(r)); });
    return told.get_future().get();
  }
  // Whoever leads then; what was not done is done again.
  void PutSomewhere(const std::vector<Machine*>& running, const std::string& key,
                    const std::string& value) {
    ASSERT_TRUE(Eventually([&] {
      Machine* const leader = Leader(running);
      return leader != nullptr && Put(*leader, key, value).ok();
    }));
  }
  static bool Has(Machine& machine, const std::string& key, const std::string& value) {
    return machine.Row(key) == value;
  }

  QuietLog quiet_;
  Machine a_{"a"};
  Machine b_{"b"};
  Machine c_{"c"};
};

TEST_F(ClusterNodeTest, AnEmptyNodeWaitsAndNeverLeads) {
  a_.Start();

  EXPECT_FALSE(a_.node().is_member());
  EXPECT_THAT(a_.Voters(), IsEmpty());
  EXPECT_THAT(a_.Add("b", "127.0.0.1:1").message(), HasSubstr("belongs to no cluster"));
}

TEST_F(ClusterNodeTest, AClusterOfOneCommitsAndGoesOnAfterARestart) {
  a_.Start();
  ASSERT_TRUE(a_.Found().ok());
  PutSomewhere({&a_}, "k", "v");

  a_.Stop();
  a_.Start();

  ASSERT_TRUE(Eventually([this] { return a_.leads(); }));
  EXPECT_TRUE(Has(a_, "k", "v"));
  EXPECT_THAT(a_.Voters(), ElementsAre("a"));
}

TEST_F(ClusterNodeTest, ANodeIsFoundedOnce) {
  a_.Start();
  ASSERT_TRUE(a_.Found().ok());

  EXPECT_THAT(a_.Found().message(), HasSubstr("belongs to a cluster already"));
}

TEST_F(ClusterNodeTest, TheLastMemberStays) {
  a_.Start();
  ASSERT_TRUE(a_.Found().ok());
  ASSERT_TRUE(Eventually([this] { return a_.leads(); }));

  EXPECT_THAT(a_.Remove("a").message(), HasSubstr("'a' is the last member"));
}

// Two would halve what a disk can acknowledge.
TEST_F(ClusterNodeTest, ACommitIsOneSyncOfEachNode) {
  constexpr std::uint64_t kCommits = 100;
  FoundThree();
  const auto syncs = [](Machine* machine) { return machine->node().syncs(); };
  std::vector<std::uint64_t> before;
  for (Machine* machine : all()) before.push_back(syncs(machine));

  for (std::uint64_t i = 0; i < kCommits; ++i) PutSomewhere({&a_}, "k" + std::to_string(i), "v");

  std::uint64_t all_syncs = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    Machine* const machine = all()[i];
    ASSERT_TRUE(Eventually([&] { return Has(*machine, "k99", "v"); }));
    const std::uint64_t own = syncs(machine) - before[i];
    EXPECT_LT(own, kCommits * 3 / 2) << machine->name();
    all_syncs += own;
  }
  EXPECT_GE(all_syncs, 2 * kCommits) << "each is on the disks of a majority";
}

TEST_F(ClusterNodeTest, WhoIsAddedCatchesUpAndVotes) {
  StartAll();
  ASSERT_TRUE(a_.Found().ok());
  PutSomewhere({&a_}, "before", "they came");

  ASSERT_TRUE(a_.Add("b", b_.address()).ok());
  ASSERT_TRUE(a_.Add("c", c_.address()).ok());

  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([&] { return Has(*machine, "before", "they came"); }));
    EXPECT_TRUE(Eventually([&] { return machine->Voters().size() == 3; })) << machine->name();
  }
}

// What the first leader acknowledged is there, and it comes back as a follower.
TEST_F(ClusterNodeTest, TheOthersGoOnWhenTheLeaderDies) {
  FoundThree();
  PutSomewhere({&a_}, "acknowledged", "yes");

  a_.Stop();
  Machine* const next = Leader({&b_, &c_});
  ASSERT_NE(next, nullptr);
  EXPECT_TRUE(Has(*next, "acknowledged", "yes"));
  PutSomewhere({&b_, &c_}, "later", "too");
  a_.Start();

  EXPECT_TRUE(Eventually([this] { return Has(a_, "later", "too"); }));
  EXPECT_TRUE(Has(a_, "acknowledged", "yes"));
}

TEST_F(ClusterNodeTest, AllOfThemStopAndGoOn) {
  FoundThree();
  PutSomewhere({&a_}, "k", "v");

  for (Machine* machine : all()) machine->Stop();
  StartAll();

  PutSomewhere(all(), "after", "all");
  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([&] { return Has(*machine, "after", "all"); }));
    EXPECT_TRUE(Has(*machine, "k", "v"));
  }
}

TEST_F(ClusterNodeTest, OneOfThreeCommitsNothing) {
  FoundThree();

  b_.Stop();
  c_.Stop();

  const Result<CommitIndex> put = Put(a_, "k", "v");
  ASSERT_FALSE(put.ok());
  EXPECT_TRUE(Eventually([this] { return !a_.leads(); }));
}

TEST_F(ClusterNodeTest, LeadershipIsHandedOver) {
  FoundThree();

  Lead(b_);

  EXPECT_TRUE(Eventually([this] { return !a_.leads(); }));
  PutSomewhere(all(), "k", "v");
}

TEST_F(ClusterNodeTest, AllKnowWhoLeadsAndWhereItsClientsAsk) {
  FoundThree();

  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([&] {
      const std::optional<MemberRecord> leader = machine->node().leader();
      return leader && leader->name == "a" && leader->client_address == "clients-of-a";
    })) << machine->name();
  }
  Lead(c_);
  EXPECT_TRUE(Eventually([&] {
    const std::optional<MemberRecord> leader = a_.node().leader();
    return leader && leader->client_address == "clients-of-c";
  }));
}

TEST_F(ClusterNodeTest, WhoIsRemovedIsNoVoterAndTheOthersGoOn) {
  FoundThree();

  const Status removed = a_.Remove("c");
  ASSERT_TRUE(removed.ok()) << removed.message();

  EXPECT_THAT(a_.Voters(), ElementsAre("a", "b"));
  PutSomewhere({&a_, &b_}, "without", "c");
}

// Of those who vote only two are there: one that was away meanwhile, and one that it never heard
// of.
TEST_F(ClusterNodeTest, WhoDoesNotKnowANewMemberYetElectsWithIt) {
  FoundThree();
  Machine d("d");
  d.Start();
  PutSomewhere(all(), "before", "all");
  c_.Stop();
  ASSERT_TRUE(a_.Add("d", d.address()).ok());
  ASSERT_TRUE(Eventually([this] { return a_.Voters().size() == 4; }));
  ASSERT_TRUE(Eventually([&] { return d.Voters().size() == 4; }));
  ASSERT_TRUE(a_.Remove("b").ok());
  ASSERT_TRUE(Eventually([&] { return d.Voters().size() == 3; }));

  for (Machine* gone : {&a_, &b_}) gone->Stop();
  c_.Start();

  PutSomewhere({&c_, &d}, "later", "too");
  EXPECT_TRUE(Eventually([&] { return Has(c_, "later", "too"); }));
  EXPECT_THAT(c_.Voters(), ElementsAre("a", "c", "d"));
}

// It was removed while the one that does not know of it was away.
TEST_F(ClusterNodeTest, WhoWasRemovedIsRefusedByWhoKnows) {
  FoundThree();
  c_.Stop();
  ASSERT_TRUE(a_.Remove("c").ok());
  PutSomewhere({&a_, &b_}, "without", "c");

  c_.Start();

  ASSERT_TRUE(Eventually([this] {
    return a_.Report().refused.sentence.find("c (id") != std::string::npos;
  })) << a_.Report().refused.sentence;
  EXPECT_THAT(a_.Report().refused.sentence, HasSubstr("is no member of the cluster"));
}

TEST_F(ClusterNodeTest, ARemovalAfterWhichNobodyCouldGoOnIsRefused) {
  FoundThree();
  c_.Stop();
  // The consensus may not have missed it yet.
  ASSERT_TRUE(Eventually([this] {
    for (const MemberReport& member : a_.Report().members) {
      if (member.record.name == "c" && member.peer) return !member.peer->is_connected;
    }
    return false;
  }));

  EXPECT_THAT(a_.Remove("b").message(), HasSubstr("could not go on"));
  EXPECT_THAT(a_.Remove("a").message(), HasSubstr("hand leadership over"));
  EXPECT_THAT(a_.Remove("nobody").message(), HasSubstr("no member 'nobody'"));
  PutSomewhere({&a_, &b_}, "k", "v");
}

TEST_F(ClusterNodeTest, NamesAndAddressesAreUsedOnce) {
  FoundThree();

  EXPECT_THAT(a_.Add("b", "127.0.0.1:1").message(), HasSubstr("has a member 'b' already"));
  EXPECT_THAT(a_.Add("b", "127.0.0.1:1").message(), HasSubstr("removed first"));
  EXPECT_THAT(a_.Add("d", "127.0.0.1:1").message(), HasSubstr("d at 127.0.0.1:1 has not taken"));
  EXPECT_THAT(a_.Add("d", b_.address()).message(), HasSubstr("member 'b' has the address"));
  EXPECT_EQ(a_.Add("Not A Name", "127.0.0.1:1").code(), ErrorCode::kArgumentError);
  EXPECT_EQ(b_.Add("d", "127.0.0.1:1").code(), ErrorCode::kPartitionNotOwned);
}

bool IsShortOfDisk(Machine& asked, const std::string& name) {
  for (const MemberReport& member : asked.Report().members) {
    if (member.record.name == name) return member.is_short_of_disk;
  }
  return false;
}

// Before the disk is full: what is under way is finished, and clients are told who leads.
TEST_F(ClusterNodeTest, ALeaderWhoseDiskIsShortHandsOverToWhoHasRoom) {
  FoundThree();
  b_.free_bytes = 10;
  ASSERT_TRUE(Eventually([this] { return IsShortOfDisk(a_, "b"); }));
  EXPECT_EQ(a_.node().trouble(), "");

  a_.free_bytes = 10;

  ASSERT_TRUE(Eventually([this] { return c_.leads() && !a_.leads(); }));
  PutSomewhere({&c_}, "k", "v");
  EXPECT_TRUE(Eventually([this] { return Has(a_, "k", "v"); })) << "it follows while it can";
  EXPECT_THAT(a_.node().trouble(), HasSubstr("the disk of this node has 0 MB left"));
  EXPECT_THAT(c_.Transfer("a").message(), HasSubstr("its disk is short"));
}

// Or nobody could receive, and make room.
TEST_F(ClusterNodeTest, WhereNoDiskHasRoomSomebodyLeadsAllTheSame) {
  FoundThree();
  for (Machine* machine : all()) machine->free_bytes = 10;
  ASSERT_TRUE(Eventually([this] { return IsShortOfDisk(a_, "b") && IsShortOfDisk(a_, "c"); }));
  PutSomewhere(all(), "k", "v");
  a_.Stop();

  Machine* const next = Leader({&b_, &c_});

  ASSERT_NE(next, nullptr);
  PutSomewhere({&b_, &c_}, "and", "on");
  // One that has room again is given it.
  Machine* const other = next == &b_ ? &c_ : &b_;
  other->free_bytes = 5000;
  EXPECT_TRUE(Eventually([other] { return other->leads(); }));
}

// Small enough that a few hundred rows are more than is kept.
class ShortLogTest : public ClusterNodeTest {
 protected:
  ShortLogTest() {
    for (Machine* machine : all()) {
      machine->segment_bytes = 32 << 10;
      machine->log_bound = {.unflushed_bytes_max = 64 << 10, .kept_bytes_max = 128 << 10};
    }
  }

  void PutMany(const std::vector<Machine*>& running, const std::string& name, int count) {
    for (int i = 0; i < count; ++i) {
      PutSomewhere(running, name + std::to_string(i), std::string(1000, 'x'));
    }
  }
  static bool HasAll(Machine& machine, const std::string& name, int count) {
    for (int i = 0; i < count; ++i) {
      if (!machine.Row(name + std::to_string(i))) return false;
    }
    return true;
  }
};

TEST_F(ShortLogTest, TheLogIsCutAtWhatTheStateAndTheFollowersHave) {
  FoundThree();

  PutMany(all(), "row", 600);

  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([machine] {
      const NodeReport report = machine->Report();
      return report.log.first_index > 1 && report.log.bytes < (300 << 10);
    })) << machine->name();
  }
  // And everything is there after a start, which has less to apply.
  a_.Stop();
  a_.Start();
  PutSomewhere(all(), "after", "it");
  EXPECT_TRUE(Eventually([this] { return Has(a_, "after", "it"); }));
  EXPECT_TRUE(HasAll(a_, "row", 600));
}

TEST_F(ShortLogTest, WhoWasAwayForLongerThanTheLogIsSentASnapshot) {
  FoundThree();
  PutMany(all(), "before", 10);
  c_.Stop();
  PutMany({&a_, &b_}, "away", 600);
  ASSERT_TRUE(Eventually([this] { return a_.Report().log.first_index > 100; }));

  c_.Start();

  EXPECT_TRUE(Eventually([this] { return HasAll(c_, "away", 600); }));
  EXPECT_TRUE(HasAll(c_, "before", 10));
  EXPECT_EQ(c_.reopened, 1);
  // It goes on by the log, and votes: with one of the others it is a majority.
  PutSomewhere(all(), "later", "on");
  EXPECT_TRUE(Eventually([this] { return Has(c_, "later", "on"); }));
  a_.Stop();
  PutSomewhere({&b_, &c_}, "without", "a");
  // And once more from its new folder.
  c_.Stop();
  c_.Start();
  EXPECT_TRUE(Eventually([this] { return Has(c_, "without", "a"); }));
  EXPECT_TRUE(HasAll(c_, "away", 600));
}

TEST_F(ShortLogTest, ASnapshotThatDoesNotFitIsRefusedAndTakenWhenThereIsRoom) {
  FoundThree();
  c_.Stop();
  PutMany({&a_, &b_}, "away", 600);
  ASSERT_TRUE(Eventually([this] { return a_.Report().log.first_index > 100; }));
  c_.free_bytes = 20 << 20;

  c_.Start();

  ASSERT_TRUE(Eventually([this] { return !c_.Report().snapshots.refusal.empty(); }));
  EXPECT_THAT(c_.Report().snapshots.refusal, HasSubstr("20 MB are free"));
  PutSomewhere({&a_, &b_}, "meanwhile", "acknowledged");
  c_.free_bytes = std::uint64_t{1} << 40;
  EXPECT_TRUE(Eventually([this] { return HasAll(c_, "away", 600); }));
  EXPECT_TRUE(Eventually([this] { return Has(c_, "meanwhile", "acknowledged"); }));
  EXPECT_EQ(c_.Report().snapshots.refusal, "");
}

TEST_F(ShortLogTest, ANewcomerIsSentASnapshotAndVotes) {
  a_.Start();
  b_.Start();
  ASSERT_TRUE(a_.Found().ok());
  PutMany({&a_}, "row", 600);
  ASSERT_TRUE(Eventually([this] { return a_.Report().log.first_index > 100; }));

  ASSERT_TRUE(a_.Add("b", b_.address()).ok());

  EXPECT_TRUE(Eventually([this] { return HasAll(b_, "row", 600); }));
  EXPECT_TRUE(Eventually([this] { return b_.Voters().size() == 2; }));
  PutSomewhere({&a_, &b_}, "of", "two");
  EXPECT_TRUE(Eventually([this] { return Has(b_, "of", "two"); }));
}

TEST_F(ClusterNodeTest, ABrokerWithDataFoundsAClusterAndTheOthersGetThem) {
  a_.KeepAlone("kept", "before");
  StartAll();
  EXPECT_TRUE(Has(a_, "kept", "before"));
  EXPECT_FALSE(a_.node().is_member());

  ASSERT_TRUE(a_.Found().ok());
  ASSERT_TRUE(Eventually([this] {
    a_.Tend();
    return a_.leads();
  }));
  ASSERT_TRUE(a_.Add("b", b_.address()).ok());
  ASSERT_TRUE(Eventually([this] { return a_.Voters().size() == 2; }));
  ASSERT_TRUE(a_.Add("c", c_.address()).ok());

  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([machine] { return Has(*machine, "kept", "before"); }));
    EXPECT_EQ(machine->Format(), "new") << machine->name();
  }
  ASSERT_TRUE(Eventually([this] { return a_.Voters().size() == 3; }));
  PutSomewhere(all(), "new", "row");
  a_.Stop();
  PutSomewhere({&b_, &c_}, "without", "a");
  EXPECT_TRUE(Has(b_, "kept", "before"));
}

// Else nothing would be acknowledged before the snapshot has come.
TEST_F(ClusterNodeTest, WhoHasNoStateYetDoesNotVote) {
  SeededRandom random(1);
  std::string body;
  while (body.size() < 1'200'000) body.push_back(static_cast<char>(random.Next()));
  a_.KeepAlone("kept", body);
  b_.snapshot_rate = 400'000;
  a_.Start();
  b_.Start();
  ASSERT_TRUE(a_.Found().ok());
  ASSERT_TRUE(Eventually([this] {
    a_.Tend();
    return a_.leads();
  }));
  ASSERT_TRUE(a_.Add("b", b_.address()).ok());

  ASSERT_TRUE(Eventually([this] {
    const auto taken = a_.Report().snapshots.sending;
    return taken && taken->bytes > 600'000;
  }));
  EXPECT_THAT(a_.Voters(), ElementsAre("a"));
  EXPECT_TRUE(Put(a_, "meanwhile", "acknowledged").ok());

  EXPECT_TRUE(Eventually([this] { return a_.Voters().size() == 2; }));
  EXPECT_TRUE(Eventually([this] { return Has(b_, "meanwhile", "acknowledged"); }));
}

// A state that is lost, while log and vote are whole.
class LostStateTest : public ShortLogTest {
 protected:
  static std::string StateOf(Machine& machine) { return machine.folder().states().path().value(); }
  // Bytes that no RocksDB wrote.
  static void DamageState(Machine& machine) {
    std::ofstream(StateOf(machine) + "/CURRENT") << "nothing";
  }
  static void LoseState(Machine& machine) { fs::remove_all(StateOf(machine)); }
  // Until its log begins behind what it would need to make its state anew.
  void PutMoreThanTheLogHas() {
    PutMany(all(), "row", 600);
    for (Machine* machine : all()) {
      ASSERT_TRUE(Eventually([machine] { return machine->Report().log.first_index > 100; }));
    }
    ASSERT_TRUE(Eventually([this] { return HasAll(c_, "row", 600); }));
  }
  // Until the others' logs begin behind what this one has, which is stopped.
  void GoOnWithout(Machine& machine) {
    const std::uint64_t last = machine.Report().log.last_index;
    machine.Stop();
    PutMany({&a_, &b_}, "away", 600);
    for (Machine* other : {&a_, &b_}) {
      ASSERT_TRUE(Eventually([&] { return other->Report().log.first_index > last + 1; }));
    }
  }
  // A state in a folder of its own: that of a snapshot.
  void BringSnapshotTo(Machine& machine) {
    ASSERT_NO_FATAL_FAILURE(GoOnWithout(machine));
    machine.Start();
    ASSERT_TRUE(Eventually([&machine] { return HasAll(machine, "away", 600); }));
    ASSERT_NE(StateOf(machine), machine.data());
  }
  void ExpectTakesPart(Machine& machine, Machine& one, Machine& other) {
    EXPECT_TRUE(Eventually([&machine] { return HasAll(machine, "row", 600); }));
    EXPECT_FALSE(machine.node().lacks_state());
    other.Stop();
    PutSomewhere({&machine, &one}, "without", other.name());
    EXPECT_TRUE(Eventually([&] { return Has(machine, "without", other.name()); }));
  }
};

TEST_F(LostStateTest, AFollowerWhoseStateIsDamagedTakesThatOfAnotherOne) {
  FoundThree();
  PutMoreThanTheLogHas();
  c_.Stop();
  DamageState(c_);
  PutSomewhere({&a_, &b_}, "meanwhile", "acknowledged");

  c_.Start();

  EXPECT_TRUE(Eventually([this] { return Has(c_, "meanwhile", "acknowledged"); }));
  EXPECT_EQ(c_.reopened, 1);
  EXPECT_NE(StateOf(c_), c_.data());
  EXPECT_FALSE(fs::exists(c_.data() + "/CURRENT")) << "the damaged one takes no space";
  ExpectTakesPart(c_, b_, a_);
  c_.Stop();
  c_.Start();
  EXPECT_TRUE(Eventually([this] { return HasAll(c_, "row", 600); }));
}

// And that of the same entry as the one that was lost, because nothing was written since.
TEST_F(LostStateTest, OneThatIsNotThereIsTakenAgainAndAgain) {
  FoundThree();
  PutMoreThanTheLogHas();
  ASSERT_NO_FATAL_FAILURE(BringSnapshotTo(c_));
  for (int time = 0; time < 2; ++time) {
    c_.Stop();
    LoseState(c_);
    c_.Start();
    EXPECT_TRUE(Eventually([this] { return HasAll(c_, "away", 600); }));
  }
  ASSERT_NO_FATAL_FAILURE(ExpectTakesPart(c_, b_, a_));
}

// What it acknowledged behind the snapshot is in its log, and counts.
TEST_F(LostStateTest, TheLogIsKeptAndGoneOnWith) {
  FoundThree();
  PutMoreThanTheLogHas();
  const std::uint64_t vote_of = c_.Report().term;
  c_.Stop();
  DamageState(c_);

  c_.Start();

  ASSERT_TRUE(Eventually([this] { return HasAll(c_, "row", 600); }));
  EXPECT_GE(c_.Report().term, vote_of);
  EXPECT_LE(c_.Report().log.first_index, c_.Report().applied);
  EXPECT_EQ(c_.node().cluster(), a_.node().cluster());
}

TEST_F(LostStateTest, OneWhoseLogEndsBeforeTheSnapshotBeginsItAnewThere) {
  FoundThree();
  PutMoreThanTheLogHas();
  ASSERT_NO_FATAL_FAILURE(GoOnWithout(c_));
  DamageState(c_);

  c_.Start();

  EXPECT_TRUE(Eventually([this] { return HasAll(c_, "away", 600); }));
  ExpectTakesPart(c_, b_, a_);
}

// The third does not lead, for want of a majority, and has what both need.
TEST_F(LostStateTest, OneStateIsEnoughForAll) {
  FoundThree();
  PutMoreThanTheLogHas();
  for (Machine* machine : all()) machine->Stop();
  DamageState(a_);
  DamageState(b_);

  StartAll();

  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([machine] { return HasAll(*machine, "row", 600); })) << machine->name();
  }
  PutSomewhere(all(), "and", "on");
}

TEST_F(LostStateTest, WhereNobodyIsReachedNothingIsThrownAway) {
  FoundThree();
  PutMoreThanTheLogHas();
  ASSERT_NO_FATAL_FAILURE(BringSnapshotTo(c_));
  for (Machine* machine : all()) machine->Stop();
  const std::string state = StateOf(c_);
  DamageState(c_);

  c_.Start();
  c_.Stop();
  c_.Start();

  EXPECT_TRUE(c_.node().lacks_state());
  EXPECT_FALSE(c_.node().takes_part());
  EXPECT_THAT(c_.node().trouble(), HasSubstr("takes the state of another member"));
  EXPECT_TRUE(c_.Report().lacks_state);
  EXPECT_EQ(c_.Report().members.size(), 3);
  EXPECT_EQ(c_.Add("d", "127.0.0.1:1").code(), ErrorCode::kServiceBusy);
  EXPECT_TRUE(fs::exists(c_.data() + "/damaged/CURRENT"));
  EXPECT_FALSE(fs::exists(state));
  a_.Start();
  b_.Start();
  EXPECT_TRUE(Eventually([this] { return HasAll(c_, "row", 600) && HasAll(c_, "away", 600); }));
  EXPECT_FALSE(fs::exists(c_.data() + "/damaged"));
  EXPECT_FALSE(fs::exists(c_.data() + "/stand-in"));
}

// It was met by a reader, and to open it goes well.
TEST_F(LostStateTest, OneThatWasFoundDamagedWhileItRanIsNotTrustedAgain) {
  FoundThree();
  PutMoreThanTheLogHas();
  ASSERT_TRUE(c_.folder().states().MarkDamaged().ok());
  c_.Stop();

  c_.Start();

  EXPECT_TRUE(Eventually([this] { return HasAll(c_, "row", 600); }));
  EXPECT_EQ(c_.reopened, 1);
  EXPECT_NE(StateOf(c_), c_.data());
}

// Else one bit that flips could get everywhere.
TEST_F(LostStateTest, DamageIsNotSentToOthers) {
  FoundThree();
  PutMoreThanTheLogHas();
  for (Machine* machine : {&b_, &c_}) machine->Stop();
  DamagedBlock::FlipAt(DamagedBlock::FilesOf(b_.data(), "rows").front(), 0.5);
  DamageState(c_);
  b_.Start();
  c_.Start();

  EXPECT_TRUE(Eventually([this] { return HasAll(c_, "row", 600); }));
}

TEST_F(LostStateTest, OneThatIsAloneRefusesAndKeepsWhatThereIs) {
  a_.Start();
  ASSERT_TRUE(a_.Found().ok());
  PutMany({&a_}, "row", 10);
  a_.Stop();
  DamageState(a_);

  EXPECT_THAT(a_.TryStart().message(), HasSubstr("knows no other one"));

  EXPECT_TRUE(fs::exists(a_.data() + "/CURRENT"));
  EXPECT_FALSE(fs::exists(a_.data() + "/stand-in"));
}

// It may have nothing yet: what is here is all there is.
TEST_F(LostStateTest, ALearnerIsNobodyWhoHasTheStateAsWell) {
  a_.Start();
  ASSERT_TRUE(a_.Found().ok());
  PutMany({&a_}, "row", 600);
  ASSERT_TRUE(Eventually([this] { return a_.Report().log.first_index > 100; }));
  b_.snapshot_rate = 1;
  b_.Start();
  ASSERT_TRUE(a_.Add("b", b_.address()).ok());
  ASSERT_TRUE(Eventually([this] { return a_.Report().members.size() == 2; }));
  a_.Stop();
  DamageState(a_);

  EXPECT_THAT(a_.TryStart().message(), HasSubstr("knows no other one"));

  EXPECT_TRUE(fs::exists(StateOf(a_) + "/CURRENT"));
}

TEST_F(LostStateTest, OneWhoseLogIsDamagedAsWellRefuses) {
  FoundThree();
  PutMoreThanTheLogHas();
  c_.Stop();
  DamageState(c_);
  fs::remove_all(c_.data() + "/entries");

  EXPECT_FALSE(c_.TryStart().ok());

  EXPECT_FALSE(fs::exists(c_.data() + "/DAMAGED"));
  EXPECT_FALSE(fs::exists(c_.data() + "/stand-in"));
}

TEST_F(ClusterNodeTest, ABrokerWithDataIsInvitedByNobody) {
  b_.KeepAlone("kept", "before");
  StartAll();
  ASSERT_TRUE(a_.Found().ok());
  ASSERT_TRUE(Eventually([this] { return a_.leads(); }));

  EXPECT_THAT(a_.Add("b", b_.address()).message(), HasSubstr("has data of its own"));

  EXPECT_FALSE(b_.node().is_member());
  EXPECT_TRUE(Has(b_, "kept", "before"));
}

// Two of three machines are gone for good.
class RecoveryTest : public ClusterNodeTest {
 protected:
  void LoseTwo() {
    FoundThree();
    PutSomewhere(all(), "acknowledged", "yes");
    ASSERT_TRUE(Eventually([this] { return Has(c_, "acknowledged", "yes"); }));
    for (Machine* machine : all()) machine->Stop();
  }
};

TEST_F(RecoveryTest, OneThatIsLeftBecomesAClusterWithAllThatItHas) {
  LoseTwo();
  const ClusterId before = c_.Recovered(false).value();

  ASSERT_TRUE(c_.Recovered(true).ok());
  c_.Start();

  ASSERT_TRUE(Eventually([this] { return c_.leads(); }));
  EXPECT_NE(c_.node().cluster(), before);
  EXPECT_TRUE(Has(c_, "acknowledged", "yes"));
  EXPECT_THAT(c_.Voters(), ElementsAre("c"));
  PutSomewhere({&c_}, "new", "row");
  // It goes on by what it wrote, and takes others as any cluster does.
  c_.Stop();
  c_.Start();
  Machine d("d");
  d.Start();
  ASSERT_TRUE(Eventually([this] { return c_.leads(); }));
  const Status added = c_.Add("d", d.address());
  ASSERT_TRUE(added.ok()) << added.message();
  EXPECT_TRUE(Eventually([&d] { return Has(d, "new", "row"); }));
  EXPECT_TRUE(Has(d, "acknowledged", "yes"));
}

// What it did not know to be committed may have been acknowledged by others.
TEST_F(RecoveryTest, WhatIsOnlyInTheLogIsKept) {
  FoundThree();
  Lead(c_);
  PutSomewhere(all(), "known", "yes");
  a_.Stop();
  b_.Stop();
  const auto log = c_.log();
  ASSERT_NE(log, nullptr);
  WriteBatch batch;
  batch.Put(kRows, "unknown", "kept");
  std::promise<void> ended;
  log->Append(std::move(batch), [&ended](const Result<CommitIndex>&) { ended.set_value(); });
  ended.get_future().wait();
  c_.Stop();

  ASSERT_TRUE(c_.Recovered(true).ok());
  c_.Start();

  EXPECT_TRUE(Has(c_, "known", "yes"));
  EXPECT_TRUE(Has(c_, "unknown", "kept"));
}

TEST_F(RecoveryTest, NodesOfTheOldClusterAreRefused) {
  LoseTwo();
  ASSERT_TRUE(c_.Recovered(true).ok());
  c_.Start();
  ASSERT_TRUE(Eventually([this] { return c_.leads(); }));

  a_.Start();
  b_.Start();

  ASSERT_TRUE(Eventually([this] { return a_.leads() || b_.leads(); }));
  PutSomewhere({&a_, &b_}, "of the old", "two");
  EXPECT_THAT(c_.Voters(), ElementsAre("c"));
  EXPECT_FALSE(Has(c_, "of the old", "two"));
}

TEST_F(RecoveryTest, ANodeThatIsBeingRecoveredIsNotStarted) {
  LoseTwo();
  ASSERT_TRUE(c_.BreakRecoveryOff().ok());

  EXPECT_THAT(c_.TryStart().message(), HasSubstr("wharfd recover"));

  ASSERT_TRUE(c_.Recovered(true).ok());
  c_.Start();
  EXPECT_TRUE(Has(c_, "acknowledged", "yes"));
}

TEST_F(RecoveryTest, ANodeThatRunsIsLeftAlone) {
  FoundThree();
  EXPECT_THAT(c_.Recovered(true).status().message(), HasSubstr("in use"));
  PutSomewhere(all(), "k", "v");
  EXPECT_TRUE(Eventually([this] { return Has(c_, "k", "v"); }));
}

TEST_F(ClusterNodeTest, NobodyIsAddedWhoIsNotThere) {
  a_.Start();
  ASSERT_TRUE(a_.Found().ok());
  ASSERT_TRUE(Eventually([this] { return a_.leads(); }));

  EXPECT_FALSE(a_.Add("b", "127.0.0.1:1").ok());

  EXPECT_THAT(a_.Voters(), ElementsAre("a"));
  b_.Start();
  EXPECT_TRUE(a_.Add("b", b_.address()).ok());
}

// The first waits for a machine that takes its connection and says nothing.
TEST_F(ClusterNodeTest, OfTwoChangesAtOnceTheSecondIsRefusedAndChangesNothing) {
  a_.Start();
  b_.Start();
  ASSERT_TRUE(a_.Found().ok());
  ASSERT_TRUE(Eventually([this] { return a_.leads(); }));
  boost::asio::io_context io;
  const boost::asio::ip::tcp::acceptor silent(io, {boost::asio::ip::address_v4::loopback(), 0});
  std::promise<Status> first;
  a_.node().Add("c", "127.0.0.1:" + std::to_string(silent.local_endpoint().port()),
                [&first](Status status) { first.set_value(std::move(status)); });

  const Status second = a_.Add("b", b_.address());

  EXPECT_EQ(second.code(), ErrorCode::kServiceBusy);
  EXPECT_THAT(second.message(), HasSubstr("one at a time"));
  EXPECT_FALSE(b_.node().is_member());
  a_.Stop();
  EXPECT_FALSE(first.get_future().get().ok());
}

// Leadership was lost between the two, so no entry knows it.
TEST_F(ClusterNodeTest, WhoWasInvitedInVainSaysHowItComesIn) {
  Inviter lost;
  a_.Start();
  ASSERT_TRUE(lost.Invite("a", a_.address()).ok());
  Inviter next;

  const Status refused = next.Invite("a", a_.address());

  EXPECT_FALSE(refused.ok());
  EXPECT_THAT(refused.message(), HasSubstr("stop 'a', empty its data folder, start it and add it"));
}

TEST_F(ClusterNodeTest, WhoIsAwayIsBehindInEntriesBytesAndTime) {
  FoundThree();
  c_.Stop();
  PutSomewhere({&a_}, "k", "v");
  const auto of_c = [this] {
    for (const MemberReport& member : a_.Report().members) {
      if (member.record.name == "c") return member;
    }
    return MemberReport();
  };

  EXPECT_TRUE(Eventually([&] { return of_c().behind_for.value_or(Duration(0)) > Duration(0); }));

  EXPECT_GT(of_c().bytes_behind.value_or(0), 0U);
  c_.Start();
  EXPECT_TRUE(Eventually([&] { return of_c().behind_for == Duration(0); }));
}

TEST_F(ClusterNodeTest, AFolderIsOfOneName) {
  a_.Start();
  ASSERT_TRUE(a_.Found().ok());
  a_.Stop();

  a_.Rename("z");

  EXPECT_FALSE(a_.TryStart().ok());
}

// It was invited, and nothing came of it yet: no entry names the others.
TEST_F(ClusterNodeTest, WhoWasInvitedFindsTheOthersAfterARestart) {
  Inviter inviter;
  a_.Start();
  ASSERT_TRUE(inviter.Invite("a", a_.address()).ok());

  a_.Stop();
  ASSERT_TRUE(Eventually([&] { return !inviter.is_let_in(); }));
  a_.Start();

  EXPECT_TRUE(Eventually([&] { return inviter.is_let_in(); }));
  EXPECT_TRUE(a_.node().is_member());
  EXPECT_THAT(a_.Found().message(), HasSubstr("belongs to a cluster already"));
}

// Whoever takes over goes on from the time that was heard, and not before it.
TEST_F(ClusterNodeTest, FollowersKnowTheTimeOfTheLeader) {
  FoundThree();
  WriteBatch batch;
  batch.NoteTime(Timestamp(std::chrono::hours(24 * 365 * 60)));
  batch.Put(kRows, "k", "v");
  std::promise<Result<CommitIndex>> told;
  a_.log()->Append(std::move(batch), [&told](auto result) { told.set_value(std::move(result)); });
  ASSERT_TRUE(told.get_future().get().ok());

  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([&] {
      const std::optional<Timestamp> heard = machine->node().heard_time();
      return heard && *heard >= Timestamp(std::chrono::hours(24 * 365 * 60));
    })) << machine->name();
  }
}

TEST_F(ClusterNodeTest, AFollowerHearsTheTimeWhereNothingIsWritten) {
  FoundThree();
  c_.Stop();
  c_.Start();

  EXPECT_TRUE(Eventually([this] { return c_.node().heard_time().has_value(); }));
}

// Who led may be gone before it has told one that has just begun. Here nobody can lead: two of
// four.
TEST_F(ClusterNodeTest, WhoHasJustBegunHearsTheTimeFromWhoeverHeardIt) {
  FoundThree();
  Machine d("d");
  d.Start();
  ASSERT_TRUE(a_.Add("d", d.address()).ok());
  for (Machine* machine : {&b_, &c_}) {
    ASSERT_TRUE(Eventually([machine] { return machine->Voters().size() == 4; }));
  }
  ASSERT_TRUE(Eventually([this] { return b_.node().heard_time().has_value(); }));
  for (Machine* machine : {&c_, &d, &a_}) machine->Stop();

  c_.Start();

  EXPECT_TRUE(Eventually([this] { return c_.node().heard_time().has_value(); }));
  EXPECT_FALSE(b_.leads() || c_.leads());
}

// Else the time for which all of them were down would be missing, and be made up for in months.
TEST_F(ClusterNodeTest, WhatTheLogHadAtAStartSaysNothingOfWhatTimeItIs) {
  FoundThree();
  for (int i = 0; i < 20; ++i) PutSomewhere(all(), "row" + std::to_string(i), "v");
  ASSERT_TRUE(Eventually([this] { return Has(b_, "row19", "v"); }));
  for (Machine* machine : all()) machine->Stop();

  b_.Start();

  ASSERT_TRUE(Eventually([this] { return Has(b_, "row0", "v"); }));
  EXPECT_EQ(b_.node().heard_time(), std::nullopt);
}

// Some rows that all have in files, so that one of them can be changed there.
class VerifyTest : public ClusterNodeTest {
 protected:
  void SetUp() override {
    FoundThree();
    for (int row = 0; row < kRowCount; ++row) Put(a_, Key(row), std::string(100, 'v')).value();
    for (Machine* machine : all()) {
      ASSERT_TRUE(Eventually([&] { return machine->Row(Key(kRowCount - 1)).has_value(); }));
      ASSERT_TRUE(machine->store().Flush().ok());
    }
  }
  static std::string Key(int row) { return "row " + std::to_string(100 + row); }
  // In all those that are to be other than they were; they are down meanwhile.
  void FalsifyIn(const std::vector<Machine*>& machines, const std::vector<std::string>& values) {
    for (std::size_t i = 0; i < machines.size(); ++i) {
      machines[i]->Stop();
      machines[i]->Falsify(Key(kWrong), values[i]);
      machines[i]->Start();
    }
    ASSERT_TRUE(
        Eventually([this] { return IsConnected(a_) && IsConnected(b_) && IsConnected(c_); }));
  }
  // To both others.
  static bool IsConnected(Machine& machine) {
    const auto members = machine.Report().members;
    return std::count_if(members.begin(), members.end(), [](const MemberReport& member) {
             return member.peer && member.peer->is_connected;
           }) == 2;
  }
  static constexpr int kRowCount = 60;
  static constexpr int kWrong = 37;
};

TEST_F(VerifyTest, StatesThatAreEqualAreFoundToBeSo) {
  const StateReport report = a_.Compared();

  EXPECT_EQ(report.sentence, "");
  EXPECT_FALSE(report.progress.difference.has_value());
  EXPECT_GE(report.progress.rows, static_cast<std::uint64_t>(kRowCount));
  EXPECT_EQ(report.progress.members.size(), 3U);
  for (const auto& member : report.progress.members) EXPECT_EQ(member.trouble, "") << member.name;
}

TEST_F(VerifyTest, TheyAreComparedWhileTheyChange) {
  std::atomic<bool> is_over = false;
  std::thread load([&] {
    for (int round = 0; !is_over; ++round) {
      static_cast<void>(Put(a_, Key(round % kRowCount), std::to_string(round)));
    }
  });

  const StateReport report = a_.Compared();

  is_over = true;
  load.join();
  EXPECT_EQ(report.sentence, "");
  EXPECT_GE(report.progress.rows, static_cast<std::uint64_t>(kRowCount));
}

// Reliability 68.
TEST_F(VerifyTest, AFollowerThatDiffersIsNamedAndTakesTheStateOfAnotherOne) {
  FalsifyIn({&c_}, {"wrong"});
  Lead(a_);

  const StateReport report = a_.Compared();

  EXPECT_THAT(report.sentence, HasSubstr("the state of c differs from that of a majority"));
  EXPECT_EQ(report.table, "rows");
  ASSERT_TRUE(report.progress.difference.has_value());
  EXPECT_EQ(report.progress.difference->row.key, Key(kWrong));
  EXPECT_TRUE(Eventually([this] { return Has(c_, Key(kWrong), std::string(100, 'v')); }));
  EXPECT_EQ(c_.reopened, 2);  // Without its state, and with that of another one.
  EXPECT_EQ(a_.Report().trouble, "");
}

TEST_F(VerifyTest, ALeaderThatDiffersHandsOverFirst) {
  FalsifyIn({&b_}, {"wrong"});
  Lead(b_);

  EXPECT_THAT(b_.Compared().sentence, HasSubstr("the state of b differs"));

  EXPECT_TRUE(Eventually([this] { return a_.leads() || c_.leads(); }));
  EXPECT_TRUE(Eventually([this] { return Has(b_, Key(kWrong), std::string(100, 'v')); }));
}

TEST_F(VerifyTest, WhereNoMajorityIsEqualNobodyStopsAndAllSaySo) {
  FalsifyIn({&b_, &c_}, {"wrong", "otherwise"});
  Lead(a_);

  const StateReport report = a_.Compared();

  EXPECT_THAT(report.sentence, HasSubstr("the states of a, b, c differ"));
  EXPECT_THAT(report.sentence, HasSubstr("nobody knows which of them is right"));
  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([&] {
      return machine->Report().trouble.find("no majority") != std::string::npos;
    })) << machine->name();
    EXPECT_EQ(machine->reopened, 0) << machine->name();
  }
  PutSomewhere(all(), Key(kWrong), "written anew");
  EXPECT_EQ(a_.Compared().sentence, "");
  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([&] { return machine->Report().trouble.empty(); })) << machine->name();
  }
}

TEST_F(VerifyTest, WhoIsNotThereIsNamed) {
  c_.Stop();
  ASSERT_TRUE(Eventually([this] { return !IsConnected(a_); }));

  const StateReport report = a_.Compared();

  EXPECT_EQ(report.sentence, "");
  for (const auto& member : report.progress.members) {
    EXPECT_EQ(member.trouble, member.name == "c" ? "it is not reached" : "") << member.name;
  }
}

TEST_F(ClusterNodeTest, WhoIsAloneHasNobodyToCompareWith) {
  a_.Start();
  ASSERT_TRUE(a_.Found().ok());
  ASSERT_TRUE(Eventually([this] { return a_.leads(); }));

  EXPECT_THAT(a_.Compared().sentence, HasSubstr("no other member"));
}

// Reliability 61, 62: one after the other is upgraded, and until the last of them is nothing is
// written that it could not read.
TEST_F(ClusterNodeTest, AClusterWritesWhatItsOldestMemberReads) {
  c_.format_level_max = kFirstFormatLevel;
  a_.format_level_max = b_.format_level_max = kFirstFormatLevel;
  FoundThree();
  for (Machine* machine : {&a_, &b_}) {
    machine->Stop();
    machine->format_level_max = kFormatLevelMax;
    machine->Start();
  }
  PutSomewhere(all(), "written", "by both versions");
  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([&] { return Has(*machine, "written", "by both versions"); }));
    EXPECT_EQ(machine->Report().format_level, kFirstFormatLevel) << machine->name();
    EXPECT_EQ(machine->Format(), "none") << machine->name();
  }
  // Back to the older version, which is still possible.
  a_.Stop();
  a_.format_level_max = kFirstFormatLevel;
  a_.Start();
  PutSomewhere(all(), "back", "and forth");
  EXPECT_TRUE(Eventually([this] { return Has(a_, "back", "and forth"); }));

  for (Machine* machine : {&a_, &c_}) {
    machine->Stop();
    machine->format_level_max = kFormatLevelMax;
    machine->Start();
  }

  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([&] { return machine->Report().format_level == kFormatLevelMax; }))
        << machine->name();
    // In the same write, so who knows the level has it.
    EXPECT_EQ(machine->node().format_level(), kFormatLevelMax) << machine->name();
    EXPECT_EQ(machine->Format(), "new") << machine->name();
  }
  EXPECT_EQ(Leader(all())->Compared().sentence, "");
  ASSERT_TRUE(b_.store().Flush().ok());
  b_.Stop();
  b_.format_level_max = kFirstFormatLevel;
  EXPECT_THAT(b_.TryStart().message(), HasSubstr("reads up to level 1"));
}

TEST_F(ClusterNodeTest, AnOlderNodeIsNotInvitedIntoANewerCluster) {
  b_.format_level_max = kFirstFormatLevel;
  a_.Start();
  b_.Start();
  ASSERT_TRUE(a_.Found().ok());
  ASSERT_TRUE(Eventually([this] { return a_.leads(); }));
  ASSERT_TRUE(Eventually([this] { return a_.Report().format_level == kFormatLevelMax; }));

  EXPECT_THAT(a_.Add("b", b_.address()).message(), HasSubstr("level"));

  EXPECT_FALSE(b_.node().is_member());
}

TEST_F(ClusterNodeTest, StatesAreNotComparedWhereSomebodyCouldNotReadTheQuestion) {
  for (Machine* machine : all()) machine->format_level_max = kFirstFormatLevel;
  FoundThree();
  std::promise<Result<StateReport>> told;

  a_.node().CompareStates(ClusterNode::Comparing::kBegin,
                          [&told](Result<StateReport> r) { told.set_value(std::move(r)); });

  EXPECT_THAT(told.get_future().get().status().message(), HasSubstr("level 1 of the format"));
}

// Reliability 38, 39.
TEST_F(ClusterNodeTest, TheClockInTheMiddleIsKnown) {
  a_.SetClockAhead(std::chrono::hours(1));
  c_.SetClockAhead(-std::chrono::hours(1));
  FoundThree();

  const auto is_about = [](Machine& machine, Duration offset) {
    const Duration apart = machine.node().median_clock_offset() - offset;
    return apart < std::chrono::minutes(1) && apart > -std::chrono::minutes(1);
  };
  EXPECT_TRUE(Eventually([&] { return is_about(a_, -std::chrono::hours(1)); }));
  EXPECT_TRUE(Eventually([&] { return is_about(b_, Duration(0)); }));
  EXPECT_TRUE(Eventually([&] { return is_about(c_, std::chrono::hours(1)); }));
}

}  // namespace
}  // namespace wharf

// Machine: one machine of a cluster that runs in one process: a folder that stays, and the node on
// it, with everything of its own but the broker. Of tests of ClusterNode.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "replication/cluster_node/cluster_node.h"
#include "replication/cluster_node/node_store.h"
#include "replication/cluster_node/recovery.h"
#include "storage/base/clock.h"
#include "tests/eventually.h"
#include "tests/storage/held_flushes.h"
#include "tests/storage/temp_folder.h"

namespace wharf {

class MachineClock final : public Clock {
 public:
  Timestamp Now() override {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()) + ahead;
  }

  Duration ahead{};
};

// One machine: a folder that stays, and what runs on it.
class Machine final : public RaftThread::Leaderships, public CommitLog::Observer {
 public:
  static constexpr TableId kRows = 0;
  static constexpr TableId kMeta = 1;
  static inline const StatePositionRow kPosition{.table = kMeta};
  static inline const AppliedIndexRow kIndex{.table = kMeta};
  static constexpr const char* kFormat = "format";
  // As a state whose rows are otherwise from the level on that there is now.
  static WriteBatch FormatOf(std::uint64_t level) {
    WriteBatch batch;
    if (level == kFormatLevelMax) batch.Put(kMeta, kFormat, "new");
    return batch;
  }

  explicit Machine(std::string name)
      : client_address("clients-of-" + name), name_(std::move(name)) {}
  ~Machine() override { Stop(); }

  std::string data() const { return folder_.path() + "/data"; }
  RocksStoreOptions StoreOptions() const {
    return {.path = data(),
            .tables = {{.name = "rows"}, {.name = "meta"}},
            .file_system = flushes,
            .position = kPosition};
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
                                 .client_address = client_address,
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
  Status SetAddress(const std::string& name, const std::string& address) {
    return Wait([&](auto done) { node_->SetAddress(name, address, std::move(done)); });
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

  // What it tells, from the next start on.
  std::string client_address;
  std::uint64_t format_level_max = kFormatLevelMax;
  // Of its states.
  const std::shared_ptr<HeldFlushes> flushes = std::make_shared<HeldFlushes>();
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
  MachineClock wall_;
  std::uint16_t port_ = 0;
  std::unique_ptr<RocksStore> store_;
  std::string lost_;
  Mutex mutex_;
  std::shared_ptr<RaftCommitLog> log_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<ClusterNode> node_;
};

}  // namespace wharf

// ClusterNodeTest: three machines of a cluster in one process, with logs and states on disk, and
// streams over loopback. Its tests stand by subject in the files beside it.
#pragma once

#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/quiet_log.h"
#include "tests/replication/cluster_node/machine.h"

namespace wharf {

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
    batch.Put(Machine::kRows, key, value);
    // It may come when nobody waits any more.
    const auto told = std::make_shared<std::promise<Result<CommitIndex>>>();
    std::future<Result<CommitIndex>> answer = told->get_future();
    log->Append(std::move(batch), [told](Result<CommitIndex> r) { told->set_value(std::move(r)); });
    if (answer.wait_for(kAwaitedMax) == std::future_status::ready) return answer.get();
    return Status(ErrorCode::kServiceTimeout, "it does not answer");
  }
  // Whoever leads then; what was not done is done again.
  void PutSomewhere(const std::vector<Machine*>& running, const std::string& key,
                    const std::string& value) {
    ASSERT_TRUE(Eventually([&] {
      Machine* const leader = Leader(running);
      return leader != nullptr && Put(*leader, key, value).ok();
    }));
  }
  void SetAddress(const std::string& name, const std::string& address) {
    ASSERT_TRUE(Eventually([&] { return Leader(all())->SetAddress(name, address).ok(); }));
  }
  // As all know it.
  void AwaitAddressOf(const std::string& name, const std::string& address) {
    for (Machine* machine : all()) {
      EXPECT_TRUE(Eventually([&] {
        for (const MemberReport& member : machine->Report().members) {
          if (member.record.name == name) return member.record.client_address == address;
        }
        return false;
      })) << name
          << " at " << address << ", as " << machine->name() << " knows it";
    }
  }
  static bool Has(Machine& machine, const std::string& key, const std::string& value) {
    return machine.Row(key) == value;
  }

  QuietLog quiet_;
  Machine a_{"a"};
  Machine b_{"b"};
  Machine c_{"c"};
};

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
    for (int i = 0; i < count && !HasFatalFailure(); ++i) {
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

}  // namespace wharf

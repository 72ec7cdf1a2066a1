#include "tools/wharf/cluster/cluster_command.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "tools/wharf/cluster/certificate_command.h"
#include "tools/wharf/cluster/cluster_view.h"
#include "tools/wharf/cluster/recover_command.h"
#include "tools/wharf/cluster/verify_command.h"
#include "tools/wharf/text/field_text.h"
#include "tools/wharf/text/printable_text.h"

namespace wharf::tool {
namespace {

// Until a cluster that was just founded has a leader, or one that is handed over the wanted one.
constexpr auto kLookPace = std::chrono::milliseconds(100);
constexpr int kLooksMax = 300;
constexpr int kLooksAtTransferMax = 100;

// What a change is about.
struct Change {
  std::string name;
  std::string address;
};
using MakeChange = Status (*)(client::Cluster& cluster, const Change& change);

// A node that had data opens them anew, and is not there for a moment. Who may not look waits for
// nothing.
void AwaitLeader(Program& program) {
  for (int looks = 0; looks < kLooksMax; ++looks) {
    const auto status = program.client().cluster().GetStatus();
    const bool may_come = status.status().code() == ErrorCode::kServiceCommunicationProblem;
    if (status.ok() ? !status->leader().empty() : !may_come) return;
    std::this_thread::sleep_for(kLookPace);
  }
}

// It is begun when it is answered, and an election may come between: only a look tells.
Status Transfer(client::Cluster& cluster, const Change& change) {
  if (Status refused = cluster.TransferLeadership(change.name); !refused.ok()) return refused;
  std::string leader;
  for (int looks = 0; looks < kLooksAtTransferMax; ++looks) {
    const auto status = cluster.GetStatus();
    if (status.ok()) leader = status->leader();
    if (leader == change.name) return {};
    std::this_thread::sleep_for(kLookPace);
  }
  return {ErrorCode::kServiceCommunicationProblem,
          (leader.empty() ? "nobody" : "'" + leader + "'") + " leads, and not yet '" + change.name +
              "': look at the status, and ask again"};
}

ExitCode Init(Program& program) {
  const auto founded = program.client().cluster().Found();
  if (!founded.ok()) return program.Fail(founded.status());
  AwaitLeader(program);
  if (program.is_json) {
    program.out.PrintJson(FieldsToJson(*founded));
  } else {
    program.out.Print("founded {}\n", founded->cluster_id());
    const std::string& file = founded->root_connection_file();
    if (!file.empty()) {
      program.out.Print("{} has a connection string that may do everything\n", Printable(file));
    }
  }
  return ExitCode::kOk;
}

ExitCode ShowStatus(Program& program) {
  const auto status = program.client().cluster().GetStatus();
  if (!status.ok()) return program.Fail(status.status());
  if (program.is_json) {
    program.out.PrintJson(FieldsToJson(*status));
  } else {
    PrintCluster(program.out, *status);
  }
  return ExitCode::kOk;
}

ExitCode Do(Program& program, MakeChange make, const std::string& done, const Change& change) {
  if (Status made = make(program.client().cluster(), change); !made.ok()) return program.Fail(made);
  if (program.is_json) {
    program.out.PrintJson({{done, change.name}});
  } else {
    program.out.Print("{} {}\n", done, change.name);
  }
  return ExitCode::kOk;
}

// Of the node that is asked, whether it leads or not.
void AddQuestion(CLI::App& noun, Program& program, const std::string& verb, const std::string& help,
                 ExitCode (*run)(Program&)) {
  noun.add_subcommand(verb, help)->callback([run, &program] {
    program.asks_any_node = true;
    program.action = [run, &program] { return run(program); };
  });
}

// `address`: what ADDRESS is; empty: there is none.
void AddChange(CLI::App& noun, Program& program, const std::string& verb, const std::string& help,
               const std::string& address, const std::string& done, MakeChange make) {
  const auto change = std::make_shared<Change>();
  CLI::App& command = *noun.add_subcommand(verb, help);
  command.add_option("NAME", change->name, "The node, as its wharfd --node calls it")->required();
  if (!address.empty()) command.add_option("ADDRESS", change->address, address)->required();
  command.callback([change, done, make, &program] {
    program.action = [change, done, make, &program] { return Do(program, make, done, *change); };
  });
}

void AddChanges(CLI::App& noun, Program& program) {
  AddChange(noun, program, "add", "Invite a node that was started empty; it votes once it has all",
            "Where it listens for the others: HOST:PORT of its --peer-listen", "added",
            [](client::Cluster& cluster, const Change& change) {
              return cluster.AddMember(change.name, change.address);
            });
  AddChange(noun, program, "remove",
            "Take a node out for good: its folder is of no use any more; not the one that leads, "
            "from which leadership is transferred first",
            "", "removed", [](client::Cluster& cluster, const Change& change) {
              return cluster.RemoveMember(change.name);
            });
  AddChange(noun, program, "transfer", "Hand leadership over to a node, and lose nothing", "",
            "leads", Transfer);
  AddChange(noun, program, "set-address", "Say where clients ask a node, when it leads",
            "HOST:PORT, as clients reach it", "changed",
            [](client::Cluster& cluster, const Change& change) {
              return cluster.SetMemberAddress(change.name, change.address);
            });
}

}  // namespace

void AddClusterCommand(CLI::App& app, Program& program) {
  CLI::App& noun = *app.add_subcommand(
      "cluster", "The nodes that keep the broker together: found, look, add and remove");
  noun.require_subcommand(1);
  AddQuestion(
      noun, program, "init",
      "Make the node at the address, which waits for this, the first of a new cluster; from its "
      "own machine only",
      Init);
  AddQuestion(noun, program, "status",
              "Show who is there, who leads, who is behind, and what one more dead node would mean",
              ShowStatus);
  AddChanges(noun, program);
  AddVerifyCommand(noun, program);
  AddRecoverCommand(noun, program);
  AddCertificateCommand(noun, program);
}

}  // namespace wharf::tool

#include "tools/wharf/cluster/certificate_command.h"

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "replication/identity/node_identity.h"
#include "replication/identity/peer_authority.h"

namespace wharf::tool {
namespace {

class WallClock final : public Clock {
 public:
  Timestamp Now() override {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  }
};

struct Wanted {
  std::vector<std::string> names;
  std::string folder;
};

Result<PeerAuthority> AuthorityIn(const std::string& folder, Clock& clock) {
  std::error_code error;
  const bool is_there = std::filesystem::exists(folder + "/peer-ca.pem", error);
  return is_there ? PeerAuthority::Open(folder, clock) : PeerAuthority::Make(folder, clock);
}

ExitCode Issue(Program& program, const Wanted& wanted) {
  for (const std::string& name : wanted.names) {
    if (const Status status = CheckNodeName(name); !status.ok()) return program.FailUsage(status);
  }
  WallClock clock;
  Result<PeerAuthority> authority = AuthorityIn(wanted.folder, clock);
  if (!authority.ok()) return program.Fail(authority.status());
  for (const std::string& name : wanted.names) {
    const Result<PeerCredentials> files = authority->IssueCertificate(name, {});
    if (!files.ok()) return program.Fail(files.status());
    if (program.is_json) {
      program.out.PrintJson({{"node", name},
                             {"peer_ca", files->authority},
                             {"peer_cert", files->certificate},
                             {"peer_key", files->key}});
    } else {
      program.out.Print("--node {} --peer-ca {} --peer-cert {} --peer-key {}\n", name,
                        files->authority, files->certificate, files->key);
    }
  }
  return ExitCode::kOk;
}

}  // namespace

void AddCertificateCommand(CLI::App& noun, Program& program) {
  const auto wanted = std::make_shared<Wanted>();
  CLI::App& command = *noun.add_subcommand(
      "certificate",
      "Make certificates with which nodes prove to each other who they are, and their authority "
      "if the folder has none; print the flags that name them. Again, they are renewed");
  command.add_option("NAME", wanted->names, "Nodes, as their wharfd --node calls them")->required();
  command
      .add_option("--folder", wanted->folder,
                  "Where they are kept, with mode 0600. peer-ca.key stays there; each node needs "
                  "peer-ca.pem and its own two files")
      ->required();
  command.callback([wanted, &program] {
    program.SetLocalAction([wanted, &program] { return Issue(program, *wanted); });
  });
}

}  // namespace wharf::tool

#include "tools/wharf/cluster/certificate_command.h"

#include <memory>
#include <string>
#include <vector>

#include "replication/identity/authority_folder.h"
#include "replication/identity/node_identity.h"
#include "replication/identity/peer_authority.h"
#include "storage/base/wall_clock.h"

namespace wharf::tool {
namespace {

struct Wanted {
  std::vector<std::string> names;
  std::string folder;
};

// That of this user is where wharfd finds what it was told no files for.
Result<std::string> FolderOf(const Wanted& wanted) {
  if (!wanted.folder.empty()) return wanted.folder;
  Result<std::string> folder = AuthorityFolder::OfThisUser();
  if (!folder.ok()) {
    return Status(folder.status().code(), folder.status().message() + ": --folder does");
  }
  WHARF_RETURN_IF_ERROR(AuthorityFolder::CheckIsPrivate(*folder));
  return folder;
}

ExitCode Issue(Program& program, const Wanted& wanted) {
  for (const std::string& name : wanted.names) {
    if (const Status status = CheckNodeName(name); !status.ok()) return program.FailUsage(status);
  }
  const Result<std::string> folder = FolderOf(wanted);
  if (!folder.ok()) return program.Fail(folder.status());
  const Result<AuthorityFolder> claimed = AuthorityFolder::Claim(*folder, kClaimPatience);
  if (!claimed.ok()) return program.Fail(claimed.status());
  WallClock clock;
  Result<PeerAuthority> authority = claimed->Authority(clock);
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
  command.add_option("--folder", wanted->folder,
                     "Where they are kept, with mode 0600. peer-ca.key stays there; each node "
                     "needs peer-ca.pem and its own two files. Without it that of this user, "
                     "~/.config/wharf/peers, where wharfd finds them by itself, and makes those "
                     "of nodes that only this machine reaches");
  command.callback([wanted, &program] {
    program.SetLocalAction([wanted, &program] { return Issue(program, *wanted); });
  });
}

}  // namespace wharf::tool

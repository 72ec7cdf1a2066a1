#include "tools/wharf/cluster/recover_command.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

namespace wharf::tool {
namespace {

struct Folder {
  std::string data;
  std::string node;
  bool accepts_loss = false;
};

// The one that was built or installed with this program; else whichever is found.
std::string DaemonPath() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path beside = program.parent_path() / "wharfd";
  return std::filesystem::exists(beside, error) ? beside.string() : "wharfd";
}

// This process becomes the daemon's program, which says how it went.
ExitCode Recover(Program& program, const Folder& folder) {
  std::vector<std::string> words = {DaemonPath(), "recover", "--data",
                                    folder.data,  "--node",  folder.node};
  if (folder.accepts_loss) words.emplace_back("--accept-loss");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  execvp(arguments.front(), arguments.data());
  return program.Fail(
      {ErrorCode::kGeneralError, "cannot run " + words.front() + ": " + std::strerror(errno)});
}

}  // namespace

void AddRecoverCommand(CLI::App& noun, Program& program) {
  const auto folder = std::make_shared<Folder>();
  CLI::App& command = *noun.add_subcommand(
      "recover",
      "Make a cluster of its own of a node of this machine, which is stopped, when a majority of "
      "its cluster is gone for good. What the others had acknowledged and this node has not is "
      "lost. Without --accept-loss: how far its log goes");
  command.add_option("--data", folder->data, "The folder of the node: its wharfd --data")
      ->required();
  command.add_option("--node", folder->node, "The node, as its wharfd --node calls it")->required();
  command.add_flag("--accept-loss", folder->accepts_loss, "Do it");
  command.callback([folder, &program] {
    program.SetLocalAction([folder, &program] { return Recover(program, *folder); });
  });
}

}  // namespace wharf::tool

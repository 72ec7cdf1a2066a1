#include "tools/wharf/cluster/verify_command.h"

#include <chrono>
#include <string>
#include <thread>

#include "tools/wharf/text/field_text.h"
#include "tools/wharf/text/printable_text.h"
#include "tools/wharf/top/screen.h"

namespace wharf::tool {
namespace {

constexpr auto kProgressPace = std::chrono::milliseconds(200);

// No member was left out, and nothing differs.
bool IsProven(const v1::VerifyStateResponse& ended) {
  if (ended.has_difference() || !ended.trouble().empty()) return false;
  for (const v1::VerifiedMember& member : ended.members()) {
    if (!member.trouble().empty()) return false;
  }
  return true;
}

std::string NamesOfCompared(const v1::VerifyStateResponse& ended) {
  std::string names;
  for (const v1::VerifiedMember& member : ended.members()) {
    if (!member.trouble().empty()) continue;
    names += (names.empty() ? "" : ", ") + Printable(member.name());
  }
  return names;
}

void Print(Output& out, const v1::VerifyStateResponse& ended) {
  for (const v1::VerifiedMember& member : ended.members()) {
    if (member.trouble().empty()) continue;
    out.Print("{} was not compared: {}\n", Printable(member.name()), Printable(member.trouble()));
  }
  if (!ended.trouble().empty()) return out.Print("{}\n", Printable(ended.trouble()));
  out.Print("{} hold the same: {} rows, {}, the last as of entry {}\n", NamesOfCompared(ended),
            ended.row_count(), ShortBytes(static_cast<double>(ended.byte_count())), ended.index());
}

ExitCode Verify(Program& program) {
  client::Cluster& cluster = program.client().cluster();
  Result<v1::VerifyStateResponse> told = cluster.BeginVerifyState();
  while (told.ok() && told->under_way()) {
    std::this_thread::sleep_for(kProgressPace);
    told = cluster.LookAtVerifyState();
  }
  if (!told.ok()) return program.Fail(told.status());
  if (program.is_json) {
    program.out.PrintJson(FieldsToJson(*told));
  } else {
    Print(program.out, *told);
  }
  return IsProven(*told) ? ExitCode::kOk : ExitCode::kFailed;
}

}  // namespace

void AddVerifyCommand(CLI::App& noun, Program& program) {
  noun.add_subcommand("verify",
                      "Compare what all nodes hold, row by row, while they serve; who differs from "
                      "a majority takes the state of another one. Exit 1 if they do not hold the "
                      "same, or one could not be compared")
      ->callback([&program] { program.action = [&program] { return Verify(program); }; });
}

}  // namespace wharf::tool

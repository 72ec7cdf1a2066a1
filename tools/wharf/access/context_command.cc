#include "tools/wharf/access/context_command.h"

#include <memory>
#include <string>

#include "tools/wharf/access/connection.h"
#include "tools/wharf/access/contexts.h"
#include "tools/wharf/terminal/table.h"

namespace wharf::tool {
namespace {

ExitCode Save(Program& program, Result<Contexts> contexts, const Status& changed,
              const std::string& done, const std::string& name) {
  if (!changed.ok()) return program.FailUsage(changed);
  if (Status saved = contexts->Save(); !saved.ok()) return program.Fail(saved);
  if (program.is_json) {
    program.out.PrintJson({{done, name}});
  } else {
    program.out.Print("{} {}\n", done, name);
  }
  return ExitCode::kOk;
}

ExitCode Add(Program& program, const std::string& name) {
  if (program.given.connection_string.empty()) {
    return program.FailUsage(
        {ErrorCode::kArgumentError,
         "say what it stands for with --connection-string @FILE, or - for the standard input"});
  }
  const auto connection = ReadConnectionString(program.given.connection_string);
  if (!connection.ok()) return program.FailUsage(connection.status());
  Result<Contexts> contexts = Contexts::LoadToChange();
  if (!contexts.ok()) return program.FailUsage(contexts.status());
  const Status added = contexts->Add(name, access::ToString(*connection));
  return Save(program, std::move(contexts), added, "added", name);
}

ExitCode Use(Program& program, const std::string& name) {
  Result<Contexts> contexts = Contexts::LoadToChange();
  if (!contexts.ok()) return program.FailUsage(contexts.status());
  const Status used = contexts->Use(name);
  return Save(program, std::move(contexts), used, "using", name);
}

ExitCode Remove(Program& program, const std::string& name) {
  Result<Contexts> contexts = Contexts::LoadToChange();
  if (!contexts.ok()) return program.FailUsage(contexts.status());
  const Status removed = contexts->Remove(name);
  return Save(program, std::move(contexts), removed, "removed", name);
}

struct Row {
  std::string name;
  access::ConnectionString connection;
  bool is_current = false;
};

Json ToJson(const Row& row) {
  return {{"name", row.name},
          {"endpoint", row.connection.endpoint},
          {"key_name", row.connection.key_name},
          {"is_current", row.is_current}};
}

void PrintTable(Output& out, const std::vector<Row>& rows) {
  Table table({{"NAME", Column::Kind::kText},
               {"ENDPOINT", Column::Kind::kText},
               {"RULE", Column::Kind::kText},
               {"IN USE"}},
              out);
  for (const Row& row : rows) {
    table.Add(
        {row.name, row.connection.endpoint, row.connection.key_name, row.is_current ? "yes" : ""});
  }
  table.End();
}

ExitCode List(Program& program) {
  const Result<Contexts> contexts = Contexts::Load();
  if (!contexts.ok()) return program.FailUsage(contexts.status());
  std::vector<Row> rows;
  for (const auto& [name, text] : contexts->all()) {
    const auto connection = access::ParseConnectionString(text);
    rows.push_back({name, connection.ok() ? *connection : access::ConnectionString(),
                    name == contexts->current()});
  }
  if (program.is_json) {
    Json json = Json::array();
    for (const Row& row : rows) json.push_back(ToJson(row));
    program.out.PrintJson({{"contexts", std::move(json)}});
  } else {
    PrintTable(program.out, rows);
  }
  return ExitCode::kOk;
}

void AddVerb(CLI::App& noun, Program& program, const std::string& verb, const std::string& help,
             ExitCode (*run)(Program&, const std::string&)) {
  const auto name = std::make_shared<std::string>();
  CLI::App& command = *noun.add_subcommand(verb, help);
  command.add_option("NAME", *name, "The context's name")->required();
  command.callback([name, run, &program] {
    program.SetLocalAction([name, run, &program] { return run(program, *name); });
  });
}

}  // namespace

void AddContextCommand(CLI::App& app, Program& program) {
  CLI::App& noun = *app.add_subcommand(
      "context",
      "Keep connection strings under names, in a file that nobody else may read; no broker is "
      "asked");
  noun.require_subcommand(1);
  noun.fallthrough();
  AddVerb(noun, program, "add",
          "Keep what --connection-string says; the first one is in use from then on", Add);
  AddVerb(noun, program, "use", "Use it in commands that say no other", Use);
  AddVerb(noun, program, "remove", "Forget it", Remove);
  noun.add_subcommand("list", "Show all of them, without their secrets")->callback([&program] {
    program.SetLocalAction([&program] { return List(program); });
  });
}

}  // namespace wharf::tool

#include "tools/wharf/access/context_command.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/wharf/access/connection.h"
#include "tools/wharf/access/contexts.h"
#include "tools/wharf/terminal/table.h"
#include "tools/wharf/text/printable_text.h"

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
  // What could never be used is not kept.
  if (const auto usable = CredentialsOf(program.tls); !usable.ok()) {
    return program.FailUsage(usable.status());
  }
  TlsOptions tls = program.tls;
  tls.MakePathsAbsolute();
  Result<Contexts> contexts = Contexts::LoadToChange();
  if (!contexts.ok()) return program.FailUsage(contexts.status());
  const Status added = contexts->Add(name, {access::ToString(*connection), std::move(tls)});
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
  TlsOptions tls;
  bool is_current = false;
};

Row RowOf(const Contexts& contexts, const std::string& name, const Context& context) {
  const auto connection = access::ParseConnectionString(context.connection_string);
  return {name, connection.ok() ? *connection : access::ConnectionString(), context.tls,
          name == contexts.current()};
}

// What is kept of TLS, by the names of its options; a switch has no value.
std::vector<std::pair<std::string, std::string>> TlsFieldsOf(const TlsOptions& tls) {
  std::vector<std::pair<std::string, std::string>> fields;
  const auto add = [&fields](const char* name, const std::string& value) {
    if (!value.empty()) fields.emplace_back(name, value);
  };
  add("ca", tls.authority);
  add("cert", tls.certificate);
  add("key", tls.key);
  add("server_name", tls.server_name);
  return fields;
}

Json ToJson(const Row& row) {
  Json json = {{"name", row.name},
               {"endpoint", row.connection.endpoint},
               {"key_name", row.connection.key_name},
               {"is_current", row.is_current},
               {"tls", row.tls.has_tls()}};
  for (const auto& [name, value] : TlsFieldsOf(row.tls)) json[name] = value;
  return json;
}

void PrintTable(Output& out, const std::vector<Row>& rows) {
  Table table({{"NAME", Column::Kind::kText},
               {"ENDPOINT", Column::Kind::kText},
               {"RULE", Column::Kind::kText},
               {"TLS"},
               {"IN USE"}},
              out);
  for (const Row& row : rows) {
    table.Add({row.name, row.connection.endpoint, row.connection.key_name,
               row.tls.has_tls() ? "yes" : "", row.is_current ? "yes" : ""});
  }
  table.End();
}

ExitCode List(Program& program) {
  const Result<Contexts> contexts = Contexts::Load();
  if (!contexts.ok()) return program.FailUsage(contexts.status());
  std::vector<Row> rows;
  for (const auto& [name, context] : contexts->all()) {
    rows.push_back(RowOf(*contexts, name, context));
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

ExitCode Show(Program& program, const std::string& name) {
  const Result<Contexts> contexts = Contexts::Load();
  if (!contexts.ok()) return program.FailUsage(contexts.status());
  const Result<Context> context = contexts->Find(name);
  if (!context.ok()) return program.FailUsage(context.status());
  const Row row = RowOf(*contexts, name, *context);
  if (program.is_json) {
    program.out.PrintJson(ToJson(row));
    return ExitCode::kOk;
  }
  const auto print = [&program](const std::string& field, const std::string& value) {
    program.out.Print("{}: {}\n", field, Printable(value));
  };
  print("name", row.name);
  print("endpoint", row.connection.endpoint);
  if (!row.connection.key_name.empty()) print("rule", row.connection.key_name);
  print("in_use", row.is_current ? "yes" : "no");
  print("tls", row.tls.has_tls() ? "yes" : "no");
  for (const auto& [field, value] : TlsFieldsOf(row.tls)) print(field, value);
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
          "Keep what --connection-string and the options of TLS say; the first one is in use from "
          "then on",
          Add);
  AddVerb(noun, program, "use", "Use it in commands that say no other", Use);
  AddVerb(noun, program, "remove", "Forget it", Remove);
  AddVerb(noun, program, "show", "Show one of them, without its secrets", Show);
  noun.add_subcommand("list", "Show all of them, without their secrets")->callback([&program] {
    program.SetLocalAction([&program] { return List(program); });
  });
}

}  // namespace wharf::tool

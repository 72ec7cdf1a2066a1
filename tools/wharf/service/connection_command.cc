#include "tools/wharf/service/connection_command.h"

#include <memory>
#include <string>
#include <utility>

#include "tools/wharf/all_pages.h"
#include "tools/wharf/terminal/table.h"
#include "tools/wharf/text/field_text.h"
#include "tools/wharf/text/number_option.h"

namespace wharf::tool {
namespace {

std::string Text(const v1::Connection& connection, int field_number) {
  return FieldToText(connection, *v1::Connection::descriptor()->FindFieldByNumber(field_number));
}

void PrintTable(Output& out, const v1::ListConnectionsResponse& all) {
  using Kind = Column::Kind;
  Table table({{"CONNECTION", Kind::kNumber},
               {"CLIENT", Kind::kWord},
               {"SINCE", Kind::kWord},
               {"LINKS", Kind::kNumber},
               {"UNSETTLED", Kind::kNumber},
               {"RECEIVED", Kind::kNumber},
               {"SENT", Kind::kNumber},
               {"RULE", Kind::kText}},
              out);
  for (const v1::Connection& each : all.connections()) {
    table.Add({std::to_string(each.id()), each.client_address(),
               Text(each, v1::Connection::kSinceFieldNumber), std::to_string(each.link_count()),
               std::to_string(each.unsettled_count()), std::to_string(each.received_bytes()),
               std::to_string(each.sent_bytes()), each.rule()});
  }
  table.End();
}

ExitCode List(Program& program) {
  const auto all = AllPages<v1::ListConnectionsResponse>([&](const std::string& token) {
    return program.client().management().ListConnections(token);
  });
  if (!all.ok()) return program.Fail(all.status());
  if (!program.is_json) {
    PrintTable(program.out, *all);
    return ExitCode::kOk;
  }
  Json connections = Json::array();
  for (const v1::Connection& each : all->connections()) connections.push_back(FieldsToJson(each));
  program.out.PrintJson({{"connections", std::move(connections)}});
  return ExitCode::kOk;
}

ExitCode Close(Program& program, std::int64_t id) {
  const Status closed = program.client().management().CloseConnection(id);
  if (!closed.ok()) return program.Fail(closed);
  if (program.is_json) {
    program.out.PrintJson({{"closed", id}});
  } else {
    program.out.Print("closed {}\n", id);
  }
  return ExitCode::kOk;
}

}  // namespace

void AddConnectionCommand(CLI::App& app, Program& program) {
  CLI::App& noun = *app.add_subcommand("connection", "List and close connections over AMQP 1.0");
  noun.require_subcommand(1);
  noun.fallthrough();
  noun.add_subcommand(
          "list",
          "List them, the oldest first: from where, since when, by which rule, how many "
          "links, deliveries that are not settled, and bytes")
      ->callback([&program] { program.action = [&program] { return List(program); }; });
  const auto id = std::make_shared<std::int64_t>();
  CLI::App& close = *noun.add_subcommand(
      "close", "Send a client away, when what it asked is answered; it may connect again");
  AddNumberOption(close, "CONNECTION", *id, "Its id, as the list has it")->required();
  close.callback(
      [id, &program] { program.action = [id, &program] { return Close(program, *id); }; });
}

}  // namespace wharf::tool

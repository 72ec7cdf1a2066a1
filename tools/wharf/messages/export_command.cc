#include "tools/wharf/messages/export_command.h"

#include <memory>
#include <string>

#include "tools/wharf/messages/export_folder.h"
#include "tools/wharf/terminal/table.h"
#include "tools/wharf/text/number_option.h"

namespace wharf::tool {
namespace {

struct ExportOptions {
  std::string queue;
  bool is_dead_letter = false;
  std::string folder;
  v1::ExportBySequenceNumberRequest request;
};

// Page by page; why the message is in quarantine.
Result<std::string> ExportRows(Program& program, v1::ExportBySequenceNumberRequest request,
                               ExportFolder& folder) {
  for (;;) {
    const auto page = program.client().ExportBySequenceNumber(request);
    if (!page.ok()) return page.status();
    for (const v1::ExportedRow& row : page->rows()) {
      WHARF_RETURN_IF_ERROR(folder.Add(row));
    }
    if (!page->has_next_row()) return page->unreadable_reason();
    request.set_from_row(page->next_row());
  }
}

void PrintRows(Output& out, const Json& rows) {
  Table table({{"ROW", Column::Kind::kWord},
               {"BYTES", Column::Kind::kNumber},
               {"CANNOT BE READ", Column::Kind::kText}},
              out);
  for (const Json& row : rows) {
    const bool is_there = row.contains("bytes");
    table.Add({row["row"].get<std::string>(), is_there ? row["bytes"].dump() : "",
               is_there ? "" : row["unreadable_reason"].get<std::string>()});
  }
  table.End();
}

ExitCode Export(Program& program, ExportOptions& options) {
  options.request.set_entity_path(options.is_dead_letter ? DeadLetterPath(options.queue)
                                                         : options.queue);
  ExportFolder folder(options.folder);
  const Result<std::string> reason = ExportRows(program, options.request, folder);
  if (!reason.ok()) return program.Fail(reason.status());
  const Result<Json> report = folder.Finish({{"entity_path", options.request.entity_path()},
                                             {"sequence_number", options.request.sequence_number()},
                                             {"unreadable_reason", *reason}});
  if (!report.ok()) return program.Fail(report.status());
  if (program.is_json) {
    program.out.PrintJson(*report);
  } else {
    program.out.Print("{}: {}\n", options.request.sequence_number(), *reason);
    PrintRows(program.out, (*report)["rows"]);
  }
  return ExitCode::kOk;
}

}  // namespace

void AddExportCommand(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App& command = *noun.add_subcommand(
      "export",
      "Save what is left of one that the broker cannot read: a file for each row of it, as it is "
      "stored, and report.json, which tells why others cannot be read");
  AddSourceArgument(command, options->queue);
  const auto take = [options](std::uint64_t number) {
    options->request.set_sequence_number(static_cast<std::int64_t>(number));
  };
  AddNumberFunction(command, "NUMBER", take, "Its sequence number, as peek prints it",
                    RangeOf<std::int64_t>())
      ->required();
  command.add_option("--to", options->folder, "The folder; files in it are never overwritten")
      ->type_name("FOLDER")
      ->required();
  command.add_flag("--dead-letter", options->is_dead_letter, "In the queue's dead-letter queue");
  command.callback([options, &program] {
    program.action = [options, &program] { return Export(program, *options); };
  });
}

}  // namespace wharf::tool

#include "tools/wharf/transfer/messages_command.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tools/wharf/messages/peek_choice.h"
#include "tools/wharf/text/number_option.h"
#include "tools/wharf/text/utf8.h"
#include "tools/wharf/transfer/message_export.h"
#include "tools/wharf/transfer/message_import.h"

namespace wharf::tool {
namespace {

struct ExportOptions {
  std::string entity;
  bool is_dead_letter = false;
  ExportChoice choice;
  // Empty: the standard output.
  std::string file;
  bool resumes = false;
};

ExitCode Export(Program& program, ExportOptions& options) {
  v1::PeekRequest& request = options.choice.request;
  request.set_entity_path(options.is_dead_letter ? DeadLetterPath(options.entity) : options.entity);
  if (options.file.empty()) return MessageExport(program, options.choice, nullptr).Run();
  Result<ExportFile> file = options.resumes
                                ? ExportFile::Resume(options.file, request.entity_path())
                                : ExportFile::Make(options.file);
  if (!file.ok()) return program.FailUsage(file.status());
  if (file->last_number() > 0) request.set_from_sequence_number(file->last_number() + 1);
  return MessageExport(program, options.choice, &*file).Run();
}

void AddExport(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App& command = *noun.add_subcommand(
      "export",
      "Write messages as JSON, one a line, with all their properties and whole bodies, in the "
      "order of their numbers; nothing is locked or changed. Each page of them is as of an instant "
      "of its own: what comes or goes meanwhile may be in it or not");
  AddSourceArgument(command, options->entity);
  command.add_flag("--dead-letter", options->is_dead_letter, "Of its dead-letter queue");
  AddPeekChoice(command, options->choice.request);
  AddNumberOption(command, "--max,-n", options->choice.messages_max,
                  "At most so many messages; 0 for all");
  auto* file = command
                   .add_option("--to", options->file,
                               "A new file instead of the standard output, for its owner alone to "
                               "read")
                   ->type_name("FILE");
  command
      .add_flag("--resume", options->resumes,
                "Go on with the file, behind the last message that it has")
      ->needs(file);
  command.callback([options, &program] {
    program.action = [options, &program] { return Export(program, *options); };
  });
}

void AddImport(CLI::App& noun, Program& program) {
  const auto choice = std::make_shared<ImportChoice>();
  choice->file = "-";
  CLI::App& command = *noun.add_subcommand(
      "import",
      "Send the messages of an export to a queue or topic, with their ids: where duplicates are "
      "detected, what was imported before is not there twice. They go in batches, each as a whole "
      "or not at all; at a line that is no message, or a batch that is refused, it ends and says "
      "from which line on nothing was sent");
  AddTargetArgument(command, choice->entity)->check(CheckUtf8);
  command.add_option("FILE", choice->file, "An export; \"-\" is the standard input")
      ->default_str("-");
  command.add_flag("--dry-run", choice->is_dry_run,
                   "Send nothing: look whether all lines are messages, without a broker");
  AddNumberOption(command, "--batch", choice->reading.messages_max,
                  "Messages in a batch; a batch has at most 768 KiB, and no more than the entity "
                  "takes in one message; a larger message is one by itself. To a partitioned queue "
                  "each message goes by itself",
                  {.min = 1, .max = 4500});
  AddNumberOption(command, "--from-line", choice->reading.from_line,
                  "The first line to send, to go on with an import that was broken off",
                  {.min = 1, .max = RangeOf<std::int64_t>().max});
  command.add_flag("--make-ids", choice->reading.makes_ids,
                   "Give a message that has no message_id one that is made of its entity, number "
                   "and time in the export and of all that it says, so that it can be detected as "
                   "a duplicate");
  AddDurationOption(command, "--reconnect-for", choice->patience,
                    "How long to wait for the broker when the connection breaks; what it did not "
                    "take is then sent; 0s: not at all");
  command.add_flag("--repeat-unknown", choice->repeats_unknown,
                   "Send again, too, what may have been stored when the connection broke: for an "
                   "entity that detects duplicates; a message of more than 1 MiB only if it has an "
                   "id");
  command.callback([choice, &program] {
    const auto import = [choice, &program] { return MessageImport(program, *choice).Run(); };
    if (choice->is_dry_run) return program.SetLocalAction(import);
    program.action = import;
  });
}

}  // namespace

void AddMessagesCommand(CLI::App& app, Program& program) {
  CLI::App& noun = *app.add_subcommand(
      "messages", "Export the messages of an entity as JSON, and import them into one");
  noun.require_subcommand(1);
  noun.fallthrough();
  AddExport(noun, program);
  AddImport(noun, program);
}

}  // namespace wharf::tool

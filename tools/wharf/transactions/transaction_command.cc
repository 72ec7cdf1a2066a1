#include "tools/wharf/transactions/transaction_command.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "tools/wharf/text/printable_text.h"
#include "tools/wharf/text/time_text.h"
#include "tools/wharf/transactions/operation_text.h"

namespace wharf::tool {
namespace {

struct TransactionOptions {
  std::string id;
  v1::RunTransactionRequest run;
};
using Run = Result<v1::Transaction> (*)(client::Transactions&, const TransactionOptions&);

std::string StateOf(const v1::Transaction& transaction) {
  switch (transaction.state()) {
    case v1::TRANSACTION_STATE_OPEN:
      return "open";
    case v1::TRANSACTION_STATE_COMMITTED:
      return "committed";
    case v1::TRANSACTION_STATE_ROLLED_BACK:
      return "rolled-back";
    default:
      return "unknown";
  }
}

Json ToJson(const v1::SendResult& sent) {
  if (sent.has_duplicate_of()) return {{"duplicate_of", sent.duplicate_of()}};
  return {{"sequence_number", sent.sequence_number()}};
}

Json ToJson(const v1::TransactionResult& result) {
  Json json = Json::object();
  for (const v1::SendResult& sent : result.sent()) json["sent"].push_back(ToJson(sent));
  if (result.has_locked_until())
    json["locked_until"] = TimeText(result.locked_until(), TimeDigits::kAll);
  return json;
}

Json ToJson(const v1::Transaction& transaction) {
  Json json = {{"transaction_id", transaction.transaction_id()},
               {"state", StateOf(transaction)},
               {"operation_count", transaction.operation_count()}};
  if (transaction.has_expires_time()) {
    json["expires_time"] = TimeText(transaction.expires_time(), TimeDigits::kAll);
  }
  if (transaction.has_ended_time()) {
    json["ended_time"] = TimeText(transaction.ended_time(), TimeDigits::kAll);
  }
  if (!transaction.failure().empty()) json["failure"] = transaction.failure();
  for (const v1::TransactionResult& result : transaction.results()) {
    json["results"].push_back(ToJson(result));
  }
  return json;
}

// What an operation brought about, if there is anything to tell.
std::string TextOf(const v1::TransactionResult& result) {
  std::string text;
  for (const v1::SendResult& sent : result.sent()) {
    text += sent.has_duplicate_of() ? fmt::format(" duplicate of {}", sent.duplicate_of())
                                    : fmt::format(" sent {}", sent.sequence_number());
  }
  if (result.has_locked_until()) {
    text += " locked until " + TimeText(result.locked_until());
  }
  return text;
}

void Print(Output& out, const v1::Transaction& transaction) {
  out.Print("{}  {}", Printable(transaction.transaction_id()), StateOf(transaction));
  if (transaction.has_expires_time()) {
    out.Print(", {} operations, until {}", transaction.operation_count(),
              TimeText(transaction.expires_time()));
  }
  out.Print("{}{}\n", transaction.failure().empty() ? "" : ": ", Printable(transaction.failure()));
  for (int i = 0; i < transaction.results_size(); ++i) {
    const std::string text = TextOf(transaction.results(i));
    if (!text.empty()) out.Print("  operation {}:{}\n", i + 1, text);
  }
}

// What is of use next, the id, comes first.
void PrintBegun(Output& out, const v1::Transaction& transaction) {
  out.Print("{}  open until {}\n", Printable(transaction.transaction_id()),
            TimeText(transaction.expires_time()));
}

ExitCode Tell(Program& program, const Result<v1::Transaction>& transaction,
              void (*print)(Output& out, const v1::Transaction& transaction)) {
  if (!transaction.ok()) return program.Fail(transaction.status());
  if (program.is_json) {
    program.out.PrintJson(ToJson(*transaction));
  } else {
    print(program.out, *transaction);
  }
  return ExitCode::kOk;
}

CLI::App& AddTransactionVerb(CLI::App& noun, Program& program, const std::string& verb,
                             const std::string& help,
                             const std::shared_ptr<TransactionOptions>& options, Run run,
                             void (*print)(Output& out,
                                           const v1::Transaction& transaction) = Print) {
  CLI::App& command = *noun.add_subcommand(verb, help);
  command.callback([options, run, print, &program] {
    program.action = [options, run, print, &program] {
      return Tell(program, run(program.client().transactions(), *options), print);
    };
  });
  return command;
}

void AddIdVerb(CLI::App& noun, Program& program, const std::string& verb, const std::string& help,
               Run run) {
  const auto options = std::make_shared<TransactionOptions>();
  AddTransactionVerb(noun, program, verb, help, options, run)
      .add_option("ID", options->id, "The transaction's id")
      ->required();
}

void AddRun(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<TransactionOptions>();
  CLI::App& command = AddTransactionVerb(
      noun, program, "run",
      "Carry out several operations, all or none; may be repeated with the same --id", options,
      [](client::Transactions& transactions, const TransactionOptions& given) {
        v1::RunTransactionRequest request = given.run;
        request.set_transaction_id(given.id);
        return transactions.Run(request);
      });
  command.add_option("--id", options->id, "An id of your own, to repeat it or to ask for it");
  const auto parse = [options](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      Result<v1::TransactionOperation> operation = ParseOperation(text);
      if (!operation.ok()) {
        throw CLI::ValidationError(text, operation.status().message());
      }
      *options->run.add_operations() = *std::move(operation);
    }
  };
  command
      .add_option_function<std::vector<std::string>>(
          "OPERATION", parse,
          "Each in quotes: \"send QUEUE BODY\", \"complete QUEUE TOKEN...\"; also abandon, defer, "
          "dead-letter, release, renew")
      ->required();
}

void AddBegin(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<TransactionOptions>();
  AddTransactionVerb(
      noun, program, "begin",
      "Open a transaction and print its id, for --transaction of send, settle, renew and session "
      "state; it is rolled back by itself when it is not committed in time",
      options,
      [](client::Transactions& transactions, const TransactionOptions& given) {
        return transactions.Begin(given.id);
      },
      PrintBegun)
      .add_option("ID", options->id, "An id of your own; without one the broker draws one");
}

}  // namespace

void AddTransactionCommand(CLI::App& app, Program& program) {
  CLI::App& noun = *app.add_subcommand(
      "transaction", "Several sends and settlements that take effect together, or not at all");
  noun.require_subcommand(1);
  noun.fallthrough();
  AddRun(noun, program);
  AddBegin(noun, program);
  AddIdVerb(noun, program, "commit", "Carry out what was added; may be repeated",
            [](client::Transactions& transactions, const TransactionOptions& given) {
              return transactions.Commit(given.id);
            });
  AddIdVerb(noun, program, "rollback", "Forget what was added",
            [](client::Transactions& transactions, const TransactionOptions& given) {
              return transactions.Rollback(given.id);
            });
  AddIdVerb(noun, program, "show", "How it stands with a transaction, or how it ended",
            [](client::Transactions& transactions, const TransactionOptions& given) {
              return transactions.Get(given.id);
            });
}

}  // namespace wharf::tool

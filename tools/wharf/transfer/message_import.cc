#include "tools/wharf/transfer/message_import.h"

#include <utility>

#include <fmt/core.h>

#include "broker/core/queue/partitioned_text.h"
#include "storage/base/duration_text.h"
#include "tools/wharf/terminal/interrupt_watcher.h"
#include "tools/wharf/terminal/progress_bar.h"
#include "tools/wharf/text/printable_text.h"

namespace wharf::tool {
namespace {

client::ReconnectOptions ToReconnectOptions(Program& program, Duration patience) {
  return {.patience = patience,
          .on_lost =
              [&program, patience](const Status& reason) {
                program.err.Print("wharf: {}; trying again for {}\n", Printable(reason.ToString()),
                                  FormatDuration(patience));
              },
          .on_back = [&program] { program.err.Print("wharf: the broker is back\n"); }};
}

// A partitioned entity takes them one by one.
bool IsOfKeys(const Status& refused) {
  return refused.code() == ErrorCode::kInvalidOperation &&
         refused.message().find(kIsPartitioned) != std::string::npos;
}

}  // namespace

ExitCode MessageImport::Run() {
  Result<InputFile> input = InputFile::Open(choice_.file);
  if (!input.ok()) return program_.FailUsage(input.status());
  if (!choice_.is_dry_run) {
    reconnection_.emplace(program_.client(), ToReconnectOptions(program_, choice_.patience));
  }
  Interruption interruption;
  const InterruptWatcher watcher([&] {
    interruption.Raise();
    if (reconnection_) reconnection_->Interrupt();
  });
  ImportReader reader(*input, interruption, choice_.reading);
  if (choice_.is_dry_run) return CheckOnly(reader);
  next_line_ = choice_.reading.from_line;
  const Status ended = SendAll(reader, interruption);
  return Tell(reader, ended, interruption.is_raised());
}

// Until the end, or the first batch that is not sent.
Status MessageImport::SendAll(ImportReader& reader, const Interruption& interruption) {
  ProgressBar progress(std::nullopt, "imported");
  for (;;) {
    Result<ImportBatch> batch = reader.Next();
    if (!batch.ok()) return batch.status();
    if (reader.bad_count() > 0 || batch->empty()) return {};
    WHARF_RETURN_IF_ERROR(Send(*batch, reader));
    progress.Update(static_cast<std::uint64_t>(sent_));
    if (interruption.is_raised()) return {};
  }
}

Status MessageImport::Send(ImportBatch& batch, ImportReader& reader) {
  next_line_ = batch.first_line;
  if (batch.is_large()) return SendLarge(batch.messages.front());
  return SendPart(batch.messages, reader);
}

Status MessageImport::SendPart(Part part, ImportReader& reader) {
  if (is_partitioned_ && part.size() > 1) return SendSingly(part);
  const Status sent = SendTogether(part);
  if (sent.ok() || part.size() == 1) return sent;
  if (sent.code() == ErrorCode::kMessageSizeExceeded) return SendHalves(part, reader);
  is_partitioned_ = IsOfKeys(sent);
  return is_partitioned_ ? SendSingly(part) : sent;
}

Status MessageImport::SendSingly(Part part) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    WHARF_RETURN_IF_ERROR(SendTogether(part.subspan(i, 1)));
  }
  return {};
}

Status MessageImport::SendHalves(Part part, ImportReader& reader) {
  const Part first = part.first(part.size() / 2);
  std::size_t bytes = 0;
  for (const v1::Message& message : first) bytes += message.ByteSizeLong();
  reader.LimitBytes(bytes);
  WHARF_RETURN_IF_ERROR(SendPart(first, reader));
  return SendPart(part.subspan(first.size()), reader);
}

Status MessageImport::SendTogether(Part part) {
  v1::SendRequest request;
  request.set_entity_path(choice_.entity);
  request.set_atomic(true);
  request.mutable_messages()->Add(part.begin(), part.end());
  const auto repeat =
      choice_.repeats_unknown ? client::Repeat::kAlsoIfUnknown : client::Repeat::kIfNotDone;
  auto response = program_.client().Send(request, repeat);
  while (!response.ok()) {
    WHARF_RETURN_IF_ERROR(WaitForBroker(response.status()));
    response = program_.client().Send(request, repeat);
  }
  NoteSuccess();
  for (const v1::SendResult& result : response->results()) Count(result.has_duplicate_of());
  next_line_ += part.size();
  return {};
}

// Given back, it is sent again by another stream.
Status MessageImport::SendLarge(v1::Message& message) {
  client::SenderOptions options;
  options.returns_unknown = choice_.repeats_unknown;
  for (;;) {
    bool is_back = false;
    Result<client::SendReceipt> sent =
        Status(ErrorCode::kServiceCommunicationProblem, "the stream ended without a receipt");
    const auto sender = program_.client().CreateSender(
        choice_.entity, options,
        [&](v1::Message&& returned, client::Sender::Callback /*callback*/, const Status& reason) {
          message = std::move(returned);
          sent = reason;
          is_back = true;
        });
    sender->Send(std::move(message),
                 [&sent](const Result<client::SendReceipt>& receipt) { sent = receipt; });
    static_cast<void>(sender->Flush());  // What became of the message is told it.
    if (sent.ok()) {
      NoteSuccess();
      Count(sent->is_duplicate);
      ++next_line_;
      return {};
    }
    if (!is_back) return sent.status();
    WHARF_RETURN_IF_ERROR(WaitForBroker(sent.status()));
  }
}

Status MessageImport::WaitForBroker(const Status& reason) {
  is_unknown_ = is_unknown_ || reason.outcome() == Outcome::kUnknown;
  if (!client::Reconnection::IsLost(reason)) return reason;
  if (is_unknown_ && !choice_.repeats_unknown) return reason;
  Result<bool> is_there = false;
  while (is_there.ok() && !*is_there) {
    is_there = reconnection_->TryAgain(reason, kUnlimited);
  }
  return is_there.status();
}

void MessageImport::NoteSuccess() {
  reconnection_->Succeeded();
  is_unknown_ = false;
}

ExitCode MessageImport::CheckOnly(ImportReader& reader) {
  for (;;) {
    const Result<ImportBatch> batch = reader.Next();
    if (!batch.ok()) return program_.FailUsage(batch.status());
    if (batch->empty()) break;
    sent_ += static_cast<std::int64_t>(batch->messages.size());
  }
  return reader.bad_count() > 0 ? TellBadLines(reader) : PrintCounts(ExitCode::kOk);
}

ExitCode MessageImport::Tell(const ImportReader& reader, const Status& ended, bool is_interrupted) {
  if (reader.without_id() > 0) {
    program_.err.Print(
        "wharf: {} messages have no message_id: imported again they are there twice; see "
        "--make-ids\n",
        reader.without_id());
  }
  if (reader.without_entity() > 0) {
    program_.err.Print(
        "wharf: {} messages do not say of which entity they are an export: two that say the same, "
        "with one number and one time, get one id; an export of today says it\n",
        reader.without_entity());
  }
  if (!ended.ok()) {
    is_unknown_ = is_unknown_ || ended.outcome() == Outcome::kUnknown;
    PrintCounts(ExitCode::kFailed);
    program_.err.Print("wharf: {} from line {} on: --from-line {}\n",
                       is_unknown_ ? "it is not known what was sent" : "nothing was sent",
                       next_line_, next_line_);
    // The last try may be known not to be done, and one before it not.
    return program_.Fail(
        {ended.code(), ended.message(), is_unknown_ ? Outcome::kUnknown : Outcome::kNotDone});
  }
  if (reader.bad_count() > 0) return TellBadLines(reader);
  return PrintCounts(is_interrupted ? ExitCode::kInterrupted : ExitCode::kOk);
}

ExitCode MessageImport::TellBadLines(const ImportReader& reader) {
  for (const std::string& complaint : reader.complaints()) {
    program_.PrintError({ErrorCode::kArgumentError, complaint});
  }
  PrintCounts(ExitCode::kUsage);
  if (choice_.is_dry_run) {
    program_.err.Print("wharf: {} lines are no messages\n", reader.bad_count());
  } else {
    program_.err.Print("wharf: nothing was sent from line {} on: --from-line {}\n", next_line_,
                       next_line_);
  }
  return ExitCode::kUsage;
}

ExitCode MessageImport::PrintCounts(ExitCode code) const {
  if (program_.is_json) {
    Json json{{choice_.is_dry_run ? "messages" : "imported", sent_}};
    if (!choice_.is_dry_run) {
      json["duplicates"] = duplicates_;
      json["next_line"] = next_line_;
    }
    program_.out.PrintJson(json);
  } else if (choice_.is_dry_run) {
    program_.out.Print("{} messages\n", sent_);
  } else if (duplicates_ > 0) {
    program_.out.Print("imported {}, {} were there already\n", sent_, duplicates_);
  } else {
    program_.out.Print("imported {}\n", sent_);
  }
  return code;
}

}  // namespace wharf::tool

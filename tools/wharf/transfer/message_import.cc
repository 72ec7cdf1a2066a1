#include "tools/wharf/transfer/message_import.h"

#include <utility>

#include <fmt/core.h>

#include "tools/wharf/terminal/interrupt_watcher.h"
#include "tools/wharf/terminal/progress_bar.h"

namespace wharf::tool {

ExitCode MessageImport::Run() {
  Result<InputFile> input = InputFile::Open(choice_.file);
  if (!input.ok()) return program_.FailUsage(input.status());
  Interruption interruption;
  const InterruptWatcher watcher([&] { interruption.Raise(); });
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
    WHARF_RETURN_IF_ERROR(Send(*batch));
    next_line_ = batch->last_line + 1;
    progress.Update(static_cast<std::uint64_t>(sent_));
    if (interruption.is_raised()) return {};
  }
}

Status MessageImport::Send(ImportBatch& batch) {
  if (batch.is_large()) return SendLarge(batch);
  if (is_partitioned_) return SendSingly(batch);
  const Status sent = SendTogether(batch);
  const bool may_have_keys =
      sent.code() == ErrorCode::kInvalidOperation && batch.messages.size() > 1;
  if (!may_have_keys) return sent;
  is_partitioned_ = true;
  return SendSingly(batch);
}

Status MessageImport::SendTogether(const ImportBatch& batch) {
  v1::SendRequest request;
  request.mutable_messages()->Add(batch.messages.begin(), batch.messages.end());
  return SendRequest(request);
}

Status MessageImport::SendSingly(const ImportBatch& batch) {
  std::uint64_t line = batch.first_line;
  for (const v1::Message& message : batch.messages) {
    v1::SendRequest request;
    *request.add_messages() = message;
    WHARF_RETURN_IF_ERROR(SendRequest(request));
    next_line_ = ++line;
  }
  return {};
}

Status MessageImport::SendRequest(v1::SendRequest& request) {
  request.set_entity_path(choice_.entity);
  request.set_atomic(true);
  const auto response =
      program_.client().Send(request, choice_.repeats_unknown ? client::Repeat::kAlsoIfUnknown
                                                              : client::Repeat::kIfNotDone);
  if (!response.ok()) return response.status();
  for (const v1::SendResult& result : response->results()) {
    ++(result.has_duplicate_of() ? duplicates_ : sent_);
  }
  return {};
}

Status MessageImport::SendLarge(ImportBatch& batch) {
  Result<client::SendReceipt> sent =
      Status(ErrorCode::kServiceCommunicationProblem, "the stream ended without a receipt");
  const auto sender = program_.client().CreateSender(choice_.entity);
  sender->Send(std::move(batch.messages.front()),
               [&sent](const Result<client::SendReceipt>& receipt) { sent = receipt; });
  const Status flushed = sender->Flush();
  if (!sent.ok()) return flushed.ok() ? sent.status() : flushed;
  ++(sent->is_duplicate ? duplicates_ : sent_);
  return {};
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
  if (!ended.ok()) {
    const bool is_unknown = ended.outcome() == Outcome::kUnknown;
    PrintCounts(ExitCode::kFailed);
    program_.err.Print("wharf: {} from line {} on: --from-line {}\n",
                       is_unknown ? "it is not known what was sent" : "nothing was sent",
                       next_line_, next_line_);
    return program_.Fail(ended);
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

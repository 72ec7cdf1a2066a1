#include "tools/wharf/transfer/message_export.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "tools/wharf/messages/left_out_body.h"
#include "tools/wharf/messages/message_json.h"
#include "tools/wharf/messages/message_table.h"
#include "tools/wharf/terminal/progress_bar.h"
#include "tools/wharf/text/printable_text.h"

namespace wharf::tool {
namespace {

constexpr std::uint64_t kPageMessages = 250;
// Of those that cannot be read.
constexpr std::uint64_t kNamedMax = 100;

}  // namespace

ExitCode MessageExport::Run() {
  Status failed = WritePages();
  if (file_ != nullptr) {
    const Status synced = file_->Sync();
    if (failed.ok()) failed = synced;
  }
  if (unreadable_ > 0) {
    program_.err.Print("wharf: {} messages cannot be read and were left out\n", unreadable_);
  }
  if (!failed.ok()) {
    program_.err.Print("wharf: exported {} messages; go on with {}\n", written_,
                       file_ != nullptr ? "--resume" : fmt::format("--from {}", next_number_));
    return program_.Fail(failed);
  }
  if (file_ != nullptr) PrintDone(program_, "exported", static_cast<std::int64_t>(written_));
  return unreadable_ > 0 ? ExitCode::kFailed : ExitCode::kOk;
}

Status MessageExport::WritePages() {
  ProgressBar progress(std::nullopt, "exported");
  v1::PeekRequest& request = choice_.request;
  while (!has_enough() && !program_.out.is_broken()) {
    const std::uint64_t left =
        choice_.messages_max == 0 ? kPageMessages : choice_.messages_max - written_;
    request.set_max_messages(static_cast<std::uint32_t>(std::min(left, kPageMessages)));
    auto page = program_.client().Peek(request);
    if (!page.ok()) return page.status();
    for (v1::ReceivedMessage& message : *page->mutable_messages()) {
      WHARF_RETURN_IF_ERROR(Take(message));
    }
    progress.Update(written_);
    if (!page->has_next_sequence_number()) break;
    next_number_ = page->next_sequence_number();
    request.set_from_sequence_number(next_number_);
  }
  return {};
}

Status MessageExport::Take(v1::ReceivedMessage& message) {
  const Result<bool> is_whole = Complete(message);
  if (!is_whole.ok()) return is_whole.status();
  if (*is_whole) WHARF_RETURN_IF_ERROR(Write(message));
  next_number_ = message.sequence_number() + 1;
  return {};
}

void MessageExport::LeaveOut(std::string_view why) {
  if (unreadable_++ < kNamedMax) program_.err.Print("wharf: {}\n", Printable(why));
}

Result<bool> MessageExport::Complete(v1::ReceivedMessage& message) {
  if (message.has_unreadable_reason()) {
    LeaveOut(fmt::format("message {} cannot be read: {}", message.sequence_number(),
                         message.unreadable_reason()));
    return false;
  }
  if (!IsBodyLeftOut(message)) return true;
  const Status read = ReadLeftOutBody(program_.client(), choice_.request.entity_path(), message);
  if (read.ok()) return true;
  if (read.code() == ErrorCode::kMessageNotFound) return false;
  // What the broker says of a damaged row.
  if (read.code() != ErrorCode::kGeneralError) return read;
  LeaveOut(read.message());
  return false;
}

Status MessageExport::Write(const v1::ReceivedMessage& message) {
  Json json = ToJson(message);
  json[std::string(kEntityPathKey)] = choice_.request.entity_path();
  if (file_ != nullptr) {
    WHARF_RETURN_IF_ERROR(file_->Add(WithJsonEscapes(ToLine(json))));
  } else {
    program_.out.PrintJson(json);
  }
  ++written_;
  return {};
}

}  // namespace wharf::tool

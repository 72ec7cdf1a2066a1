// MessageExport: all messages of an entity that a browse shows, with their whole bodies, as lines
// of JSON.
//
// Looks page by page, and writes what a page has before it asks for the next: no more than a page,
// or one large message, is in memory. Changes and locks nothing. Used by `wharf messages export`,
// on the main thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/wharf/program.h"
#include "tools/wharf/transfer/export_file.h"

namespace wharf::tool {

struct ExportChoice {
  v1::PeekRequest request;
  // 0: all.
  std::uint64_t messages_max = 0;
};

class MessageExport {
 public:
  // No file: to the standard output. All outlive it.
  MessageExport(Program& program, ExportChoice choice, ExportFile* file)
      : program_(program), choice_(std::move(choice)), file_(file) {}

  // Until nothing lies behind. What it has written stays written.
  ExitCode Run();

 private:
  Status WritePages();
  Status Take(v1::ReceivedMessage& message);
  // A body that a page leaves out; false: the message has gone meanwhile.
  Result<bool> Complete(v1::ReceivedMessage& message) const;
  Status Write(const v1::ReceivedMessage& message);
  bool has_enough() const { return choice_.messages_max != 0 && written_ >= choice_.messages_max; }

  Program& program_;
  ExportChoice choice_;
  ExportFile* const file_;
  std::uint64_t written_ = 0;
  std::uint64_t unreadable_ = 0;
  // Of the last message that was written; 0: none.
  std::int64_t last_number_ = 0;
};

}  // namespace wharf::tool

// MessageExport: all messages of an entity that a browse shows, with their whole bodies, as lines
// of JSON.
//
// A line is a message as ToJson says it, and the path of the entity, by which an import tells
// messages of several entities apart. What cannot be read, in whole or in part, is left out, named
// and counted.
//
// Looks page by page, and writes what a page has before it asks for the next: no more than a page,
// or one large message, is in memory. Changes and locks nothing. Used by `wharf messages export`,
// on the main thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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
      : program_(program),
        choice_(std::move(choice)),
        file_(file),
        next_number_(choice_.request.from_sequence_number()) {}

  // Until nothing lies behind. What it has written stays written.
  ExitCode Run();

 private:
  Status WritePages();
  Status Take(v1::ReceivedMessage& message);
  // A body that a page leaves out; false: the message has gone meanwhile.
  Result<bool> Complete(v1::ReceivedMessage& message);
  // A message that cannot be read: it is told, and counted.
  void LeaveOut(std::string_view why);
  Status Write(const v1::ReceivedMessage& message);
  bool has_enough() const { return choice_.messages_max != 0 && written_ >= choice_.messages_max; }

  Program& program_;
  ExportChoice choice_;
  ExportFile* const file_;
  std::uint64_t written_ = 0;
  std::uint64_t unreadable_ = 0;
  // All before it was written or left out.
  std::int64_t next_number_;
};

}  // namespace wharf::tool

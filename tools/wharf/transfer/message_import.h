// MessageImport: sends the messages of an export, batch by batch, each of them as a whole or not at
// all.
//
// Ends at the first batch that is refused, or has a line that is no message, and says from which
// line on nothing was sent. One batch is in memory. Used by `wharf messages import`, on the main
// thread.
#pragma once

#include <cstdint>
#include <string>

#include "tools/wharf/program.h"
#include "tools/wharf/terminal/interruption.h"
#include "tools/wharf/transfer/import_reader.h"

namespace wharf::tool {

struct ImportChoice {
  std::string entity;
  std::string file;
  bool is_dry_run = false;
  // Sends again what may have been stored: for an entity that detects duplicates.
  bool repeats_unknown = false;
  ImportReader::Options reading;
};

class MessageImport {
 public:
  // Both outlive it.
  MessageImport(Program& program, const ImportChoice& choice)
      : program_(program), choice_(choice) {}

  ExitCode Run();

 private:
  Status SendAll(ImportReader& reader, const Interruption& interruption);
  Status Send(ImportBatch& batch);
  Status SendTogether(const ImportBatch& batch);
  // Each by itself, as a partitioned entity wants it.
  Status SendSingly(const ImportBatch& batch);
  Status SendRequest(v1::SendRequest& request);
  Status SendLarge(ImportBatch& batch);
  ExitCode CheckOnly(ImportReader& reader);
  ExitCode Tell(const ImportReader& reader, const Status& ended, bool is_interrupted);
  ExitCode TellBadLines(const ImportReader& reader);
  ExitCode PrintCounts(ExitCode code) const;

  Program& program_;
  const ImportChoice& choice_;
  bool is_partitioned_ = false;
  std::int64_t sent_ = 0;
  std::int64_t duplicates_ = 0;
  // Nothing was sent from this line on, but for what is said to be unknown.
  std::uint64_t next_line_ = 1;
};

}  // namespace wharf::tool

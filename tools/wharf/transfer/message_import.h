// MessageImport: sends the messages of an export, batch by batch, each of them as a whole or not at
// all.
//
// An atomic send takes no more than one message of the entity may have: a batch that is more goes
// in halves, and those behind it are smaller. When the connection breaks it waits for the broker,
// and goes on with what was not done; with what may have been done only if it is told to.
//
// Ends at the first batch that is refused, or has a line that is no message, and says from which
// line on nothing was sent. One batch is in memory. Used by `wharf messages import`, on the main
// thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tools/client/reconnection.h"
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
  // For the broker, when the connection breaks.
  Duration patience = std::chrono::minutes(1);
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
  // Messages of a batch, one behind the other.
  using Part = std::span<const v1::Message>;

  Status Send(ImportBatch& batch, ImportReader& reader);
  // As a whole, or in parts that are.
  Status SendPart(Part part, ImportReader& reader);
  // Each by itself, as a partitioned entity wants it.
  Status SendSingly(Part part);
  Status SendHalves(Part part, ImportReader& reader);
  Status SendTogether(Part part);
  Status SendLarge(v1::Message& message);
  // The broker is there again, and it is right to repeat what failed so; if not, why.
  Status WaitForBroker(const Status& reason);
  void NoteSuccess();
  void Count(bool is_duplicate) { ++(is_duplicate ? duplicates_ : sent_); }
  ExitCode CheckOnly(ImportReader& reader);
  ExitCode Tell(const ImportReader& reader, const Status& ended, bool is_interrupted);
  ExitCode TellBadLines(const ImportReader& reader);
  ExitCode PrintCounts(ExitCode code) const;

  Program& program_;
  const ImportChoice& choice_;
  // None in a dry run, which has no broker.
  std::optional<client::Reconnection> reconnection_;
  bool is_partitioned_ = false;
  // What is sent from next_line_ on may be stored.
  bool is_unknown_ = false;
  std::int64_t sent_ = 0;
  std::int64_t duplicates_ = 0;
  // Nothing was sent from this line on, but for what is said to be unknown.
  std::uint64_t next_line_ = 1;
};

}  // namespace wharf::tool

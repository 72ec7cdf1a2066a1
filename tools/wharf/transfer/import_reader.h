// ImportReader: the lines of an export, as batches of messages that are sent as one.
//
// A batch is bounded in messages and bytes; a message that no request holds is a batch by itself.
// Lines that are no messages are remembered, the first of them with their reasons. Used by `wharf
// messages import`, on the main thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/wharf/terminal/line_reader.h"
#include "wharf/v1/message.pb.h"

namespace wharf::tool {

struct ImportBatch {
  std::vector<v1::Message> messages;
  // Of the file, the first and the last one.
  std::uint64_t first_line = 0;
  std::uint64_t last_line = 0;
  std::size_t bytes = 0;

  bool empty() const { return messages.empty(); }
  // In chunks, by a stream.
  bool is_large() const;
};

class ImportReader {
 public:
  struct Options {
    // Lines before it are passed over.
    std::uint64_t from_line = 1;
    std::size_t messages_max = 100;
    // A message without an id gets one (made_id.h).
    bool makes_ids = false;
  };

  // Both outlive it.
  ImportReader(InputFile& input, const Interruption& interruption, Options options)
      : lines_(input, interruption), options_(options) {}

  // Empty at the end. Of a batch with a line that is no message nothing but that is known.
  Result<ImportBatch> Next();

  // Lines that were no messages so far; of the first of them why.
  std::uint64_t bad_count() const { return bad_count_; }
  const std::vector<std::string>& complaints() const { return complaints_; }
  // The first line that was none; 0: all were.
  std::uint64_t first_bad_line() const { return first_bad_line_; }
  // Messages without an id: sent twice they are there twice.
  std::uint64_t without_id() const { return without_id_; }
  // Messages that got an id, and do not say of which entity they are an export.
  std::uint64_t without_entity() const { return without_entity_; }

  // Of batches from now on, because the entity takes no more; one message is always one.
  void LimitBytes(std::size_t bytes_max) { bytes_max_ = std::min(bytes_max_, bytes_max); }

 private:
  static constexpr std::size_t kComplaintsMax = 20;

  // Of an atomic request, with room for what the entity adds.
  static constexpr std::size_t kBatchBytesMax = 768 << 10;

  Result<v1::Message> MessageOf(std::string_view line);
  void Complain(const Status& status);
  // Whether it fits; else it waits for the next batch.
  bool TakeInto(ImportBatch& batch, v1::Message&& message, std::uint64_t line);

  LineReader lines_;
  const Options options_;
  // The next batch begins with it, if its line is not 0.
  v1::Message waiting_;
  std::uint64_t waiting_line_ = 0;
  std::uint64_t bad_count_ = 0;
  std::uint64_t first_bad_line_ = 0;
  std::uint64_t without_id_ = 0;
  std::uint64_t without_entity_ = 0;
  std::size_t bytes_max_ = kBatchBytesMax;
  std::vector<std::string> complaints_;
};

}  // namespace wharf::tool

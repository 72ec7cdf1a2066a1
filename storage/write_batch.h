// WriteBatch: a list of writes that becomes durable as one, as plain bytes.
//
// The bytes are self-contained (a replica can apply them), appended on the shard's thread and read
// by a commit log. One write is
//
//   kind (1 byte) · table (1 byte) · length of key (varint) · key [· length of value (varint) ·
//   value]
//
// where Put has a value, and DeleteRange has the range's end (exclusive) in its place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "storage/base/status.h"
#include "storage/table.h"

namespace wharf {

class WriteBatch {
 public:
  // Receives the writes of a batch in their order.
  class Visitor {
   public:
    virtual ~Visitor() = default;
    virtual void Put(TableId table, std::string_view key, std::string_view value) = 0;
    virtual void Delete(TableId table, std::string_view key) = 0;
    virtual void SingleDelete(TableId table, std::string_view key) = 0;
    virtual void DeleteRange(TableId table, std::string_view begin, std::string_view end) = 0;
  };

  WriteBatch() = default;
  // Takes the bytes of another batch, e.g. from a replica. Visit checks them.
  explicit WriteBatch(std::string bytes) : bytes_(std::move(bytes)) {}

  void Put(TableId table, std::string_view key, std::string_view value);
  void Delete(TableId table, std::string_view key);
  // Only for a key that was put exactly once since it was last deleted.
  void SingleDelete(TableId table, std::string_view key);
  // Everything from `begin` up to but not `end`.
  void DeleteRange(TableId table, std::string_view begin, std::string_view end);

  bool empty() const { return bytes_.empty(); }
  const std::string& bytes() const { return bytes_; }

  // An error if the bytes are not a batch; the writes before the bad place were visited then.
  Status Visit(Visitor& visitor) const;

 private:
  void Append(char kind, TableId table, std::string_view key);
  void AppendSized(std::string_view text);

  std::string bytes_;
};

}  // namespace wharf

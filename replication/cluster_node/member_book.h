// MemberBook: who belongs to the cluster as of one entry of the log: what the core knows of them,
// and what people and clients do.
//
//   book   = version (1) · fields                 peers/fields.h
//     1 configuration                             in the words of the core
//     2 member = fields: 1 node id, 2 name, 3 peer address, 4 client address,    each, by its id
//       6 client address that the node itself has told, from level 7 on; none: that in 4
//     3 level of the format that the members write (format_level.h); none: the first
//
// It stands in the state's position (StatePosition::members), so it is in the same write as the
// entry that changed it. The context of such an entry is the member as it is behind it, and
//
//     5 to which level the format is raised by this entry; none: to none
//
// Values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replication/core/raft_library.h"
#include "replication/format_level.h"
#include "storage/base/status.h"
#include "storage/entry_log.h"

namespace wharf {

struct MemberRecord {
  RaftId node = 0;
  std::string name{};
  // Where its peers reach it.
  std::string peer_address{};
  // What clients are told of it: what an operator said last, or the node itself where it tells
  // another one than before.
  std::string client_address{};
  // What the node itself told last; empty: client_address.
  std::string told_address{};
  // Of an entry, not of a book; 0: none.
  std::uint64_t raises_level_to = 0;

  // What it tells again is no news, whatever an operator has said since.
  bool HasTold(std::string_view address) const {
    return address == (told_address.empty() ? client_address : told_address);
  }
  // As it is when the node tells it, and when an operator says it.
  MemberRecord WithToldAddress(std::string address) const;
  MemberRecord WithSetAddress(std::string address) const;

  std::string Encode() const;
  static Result<MemberRecord> Decode(std::string_view bytes);

  friend bool operator==(const MemberRecord&, const MemberRecord&) = default;
};

struct MemberBook {
  std::string configuration{};
  // By their ids.
  std::vector<MemberRecord> members{};
  std::uint64_t level = kFirstFormatLevel;

  std::string Encode() const;
  // No bytes are the book of a cluster without members.
  static Result<MemberBook> Decode(std::string_view bytes);

  // Behind this change, which the core did not refuse: a refused one is committed as an empty
  // entry, which is no change.
  Result<MemberBook> After(const MemberChange& change, std::string next_configuration) const;

  const MemberRecord* Find(RaftId node) const;
  const MemberRecord* FindName(std::string_view name) const;

  friend bool operator==(const MemberBook&, const MemberBook&) = default;
};

// The book as bytes, behind an entry that changes the members.
Result<std::string> BookBehind(const RaftLibrary& library, const std::string& before,
                               const LogEntry& change, const std::string& next_configuration);

}  // namespace wharf

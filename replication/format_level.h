// Format levels: what nodes of a cluster may write into the log and the state, so that all members
// can read it.
//
//   1   as it began
//   2   checks among the entries (entry.h)
//   3   messages keep how their senders over AMQP wrote them: the broker's rows have format 3
//   4   entities may have event logs: the broker's rows have format 5
//   5   entities keep what a client's XML says that is not known: the broker's rows have format 6
//   6   rules of access remember which of their keys were replaced: the broker's rows have format 7
//   7   members keep what a node says of its address beside what an operator says (member_book.h)
//
// The level of a cluster stands in its book of members (cluster_node/member_book.h) and only rises:
// who leads raises it, by an entry, when all members that there are read the next one. What a level
// brings is not written below it. A node of an older version is not let in any more then, and
// refuses the folder. A new table, record, write or entry gets the next number here. Where a level
// brings rows of another format, what the state says of its format is in the same write as the book
// that says the level (state_format.h).
#pragma once

#include <cstdint>

namespace wharf {

inline constexpr std::uint64_t kFirstFormatLevel = 1;
inline constexpr std::uint64_t kChecksFormatLevel = 2;
inline constexpr std::uint64_t kEncodingsFormatLevel = 3;
inline constexpr std::uint64_t kEventLogsFormatLevel = 4;
inline constexpr std::uint64_t kUnknownElementsFormatLevel = 5;
inline constexpr std::uint64_t kReplacedKeysFormatLevel = 6;
inline constexpr std::uint64_t kSetAddressesFormatLevel = 7;
// What this version reads and writes.
inline constexpr std::uint64_t kFormatLevelMax = 7;

}  // namespace wharf

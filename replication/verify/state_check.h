// StateCheck: the question of a leader what the members' states hold from a row on, and what each
// of them answers.
//
//   check  = id (8) · bytes (8) · place                       the payload of an entry of the log
//   place  = table (1) · key                                  big-endian numbers
//   answer = id (8) · index (8) · kind (1) · ( words | digest )
//   digest = hash (8) · rows (8) · bytes (8) · has first (1) · has end (1) · table of the first (1)
//   ·
//            table of the end (1) · length of the first's key (4) · its key · key of the end
//
// Each member answers as of the entry that asks, so that all of them tell of the same position. An
// answer says where its range ended: where states are equal so are the ends, and the next question
// begins there. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "storage/table.h"

namespace wharf {

// A row, or where one might be.
struct RowPlace {
  TableId table = 0;
  std::string key{};

  friend auto operator<=>(const RowPlace&, const RowPlace&) = default;
};

struct StateCheck {
  // Drawn by who asks; of no other check.
  std::uint64_t id = 0;
  // As many rows as have so many bytes, and one at least.
  std::uint64_t bytes = 0;
  RowPlace begin{};

  std::string Encode() const;
  // Nothing: it is none.
  static std::optional<StateCheck> Decode(std::string_view bytes);

  friend bool operator==(const StateCheck&, const StateCheck&) = default;
};

// What stands in a range, made short.
struct RangeDigest {
  std::uint64_t hash = 0;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::optional<RowPlace> first{};
  // Behind the last row; nothing: behind it there is none in any table.
  std::optional<RowPlace> end{};

  friend bool operator==(const RangeDigest&, const RangeDigest&) = default;
};

struct StateCheckAnswer {
  std::uint64_t id = 0;
  // The entry that asked.
  std::uint64_t index = 0;
  // Nothing: it could not be read, and why not in a sentence.
  std::optional<RangeDigest> digest{};
  std::string trouble{};

  std::string Encode() const;
  // Nothing: it is none.
  static std::optional<StateCheckAnswer> Decode(std::string_view bytes);

  friend bool operator==(const StateCheckAnswer&, const StateCheckAnswer&) = default;
};

}  // namespace wharf

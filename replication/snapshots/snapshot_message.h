// SnapshotMessage: what nodes say to each other about the files of a snapshot.
//
//   ask    = id (8) · kind (1) · file (4) · offset (8) · bytes (4)        of who receives it
//   answer = id (8) · kind (1) · file (4) · offset (8) · bytes            of who sends it
//   notice = id (8) · kind (1) · index (8) · term (8)                     of who was asked for one
//
// Numbers are little-endian. Whoever receives asks, piece after piece, and so says how fast it goes
// and where it goes on; whoever sends remembers nothing. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "storage/entry_log.h"

namespace wharf {

// Of one piece; with its head it is one message.
inline constexpr std::size_t kSnapshotPieceBytesMax = std::size_t{1} << 20;

struct SnapshotAsk {
  // Numbers are on the wire.
  enum class Kind : std::uint8_t {
    kManifest = 1,
    kPiece = 2,    // Of this file, from there on, at most so many bytes.
    kTaken = 3,    // Everything is here: nothing more is needed.
    kRefused = 4,  // It cannot be taken; another one may be.
  };

  std::uint64_t snapshot = 0;
  Kind kind = Kind::kManifest;
  std::uint32_t file = 0;  // Its place in the manifest.
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;

  std::string Encode() const;
  // Nothing: it is none.
  static std::optional<SnapshotAsk> Decode(std::string_view message);

  friend bool operator==(const SnapshotAsk&, const SnapshotAsk&) = default;
};

struct SnapshotAnswer {
  // Numbers are on the wire.
  enum class Kind : std::uint8_t {
    kManifest = 1,
    kPiece = 2,
    kGone = 3,  // There is no such snapshot any more.
  };

  std::uint64_t snapshot = 0;
  Kind kind = Kind::kManifest;
  std::uint32_t file = 0;
  std::uint64_t offset = 0;
  std::string bytes{};

  std::string Encode() const;
  // Nothing: it is none.
  static std::optional<SnapshotAnswer> Decode(std::string_view message);

  friend bool operator==(const SnapshotAnswer&, const SnapshotAnswer&) = default;
};

// To who said that it wants one, and cannot be offered it by the consensus.
struct SnapshotNotice {
  // Numbers are on the wire.
  enum class Kind : std::uint8_t {
    kNone = 1,       // Another member may have one.
    kBeingMade = 2,  // It takes a while.
    kReady = 3,      // Here it is.
  };

  std::uint64_t snapshot = 0;
  Kind kind = Kind::kNone;
  LogPlace place{};

  std::string Encode() const;
  // Nothing: it is none.
  static std::optional<SnapshotNotice> Decode(std::string_view message);

  friend bool operator==(const SnapshotNotice&, const SnapshotNotice&) = default;
};

}  // namespace wharf

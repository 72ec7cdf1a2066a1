// CoreMessage: a message of the core as it travels: its own words, and behind them the payloads of
// the entries in it, which the core has only by number.
//
//   message = length of the words (4) · words · { length (4) · payload }      little-endian
//
// Written when a Ready is taken, read when a message is stepped, by RaftCore; RaftLibrary reads
// offers of snapshots.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/base/shared_bytes.h"

namespace wharf {

struct CoreMessage {
  std::string_view words;
  std::vector<SharedBytes> payloads;
};

std::string EncodeCoreMessage(const CoreMessage& message);

// Parts of these bytes; none if they are no such message.
std::optional<CoreMessage> DecodeCoreMessage(const SharedBytes& bytes);

}  // namespace wharf

// ClientScript: what a client of the door says on one connection, piece by piece, and what others
// do meanwhile. As text it is the dialogue of a client (../entities/dialogue_test.cc), as bytes the
// input of a fuzzer.
//
// Plain values. The frames of a script have no sizes: whatever is done to one, it is a frame again
// when it is said.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace wharf::amqp {

struct Said {
  enum class Kind : char {
    // As they are: headers.
    kBytes = 'b',
    kSaslFrame = 's',
    kFrame = 'f',
    // The client hears all that there is.
    kHear = 'h',
    // Somebody else sends: the entity, a space, the body.
    kSend = 'm',
    // So many seconds go by, in decimal digits.
    kAdvance = 'a',
  };
  Kind kind = Kind::kBytes;
  std::uint16_t channel = 0;
  std::string body;

  // What goes over the wire; of what is no frame and no bytes, nothing.
  std::string wire() const;
  friend bool operator==(const Said&, const Said&) = default;
};

struct ClientScript {
  bool is_of_jms = false;
  // In the end its connection breaks; else it is told to go.
  bool breaks_off = false;
  std::vector<Said> said{};
  friend bool operator==(const ClientScript&, const ClientScript&) = default;
};

// Stand for the transaction that was declared last, and for the lock that was told last, of which
// each is as long.
inline constexpr std::string_view kHeardTransaction = "the transaction that was declared !!";
inline constexpr std::string_view kHeardLock = "the lock heard !";

// "3 00 53 17 45", "sasl 00 53 ...", "'AMQP' 00 01 00 00".
Said SaidOf(std::string_view line);
// Of a dialogue, whose answers are left out.
ClientScript ReadDialogue(std::istream& text, bool is_of_jms);
// Those of all clients: jms/*.txt and sdks/*.txt of the folder, by their names.
std::vector<std::filesystem::path> DialoguesIn(const std::filesystem::path& folder);
ClientScript ReadDialogue(const std::filesystem::path& path);

std::string Encoded(const ClientScript& script);
// Of any bytes: what is no piece is left out, and the last one may be cut off.
ClientScript Decoded(std::string_view bytes);

}  // namespace wharf::amqp

// Golden transcripts (transcripts/*.txt): what a peer says, as bytes that people can read, and
// below each step what the endpoint answers, frame by frame.
//
//   > 'AMQP' 00 01 00 00        bytes (tests/amqp/hex.h)
//   > 3 00 53 17 45             a frame on channel 3; `sasl` instead of a channel, a frame of SASL
//   ----                        and the answer, up to an empty line
//
// WHARF_REWRITE_TRANSCRIPTS=1 writes the answers anew.
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/amqp/endpoint/frame_text.h"
#include "tests/amqp/endpoint/raw_peer.h"
#include "tests/amqp/hex.h"
#include "tests/amqp/partners/tiny_broker.h"

namespace wharf::amqp {
namespace {

std::string BytesOf(std::string_view line) {
  const std::size_t space = line.find(' ');
  const std::string_view first = line.substr(0, space);
  const bool is_sasl = first == "sasl";
  if (!is_sasl && (first.size() != 1 || std::isdigit(static_cast<unsigned char>(first[0])) == 0)) {
    return FromHex(line);
  }
  const auto channel = static_cast<std::uint16_t>(is_sasl ? 0 : first[0] - '0');
  std::string frame = RawPeer::FrameOfBytes(FromHex(line.substr(space)), channel);
  if (is_sasl) frame[5] = static_cast<char>(kSaslFrame);
  return frame;
}

// The whole transcript with the answers that are given now.
std::string Replayed(std::istream& script) {
  TinyQueues queues;
  TinyBroker broker(queues, TinyBroker::Options(), {});
  FrameText frames;
  std::string text;
  bool is_answer = false;
  for (std::string line; std::getline(script, line);) {
    if (line.empty()) is_answer = false;
    if (is_answer) continue;
    text += line + "\n";
    if (line.starts_with("> ")) {
      broker.endpoint().Feed(BytesOf(line.substr(2)), {});
      broker.Work();
    }
    if (line != "----") continue;
    is_answer = true;
    for (const std::string& frame : frames.Read(broker.endpoint().TakeOutput({}))) {
      text += frame + "\n";
    }
  }
  return text;
}

TEST(TranscriptTest, EachIsAnsweredAsItStands) {
  const std::filesystem::path folder = WHARF_TRANSCRIPTS_FOLDER;
  int transcripts = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    ++transcripts;
    std::ifstream file(entry.path());
    std::stringstream golden;
    golden << file.rdbuf();
    const std::string replayed = Replayed(golden);
    if (std::getenv("WHARF_REWRITE_TRANSCRIPTS") != nullptr) {
      std::ofstream(entry.path()) << replayed;
    } else {
      EXPECT_EQ(replayed, golden.str()) << entry.path();
    }
  }
  EXPECT_GT(transcripts, 0);
}

}  // namespace
}  // namespace wharf::amqp

// Golden dialogues of clients that cannot be had here: what they say, frame by frame, as doors.md
// tells it, and below each step what the door answers. JMS clients (jms/*.txt: qpid-jms, section
// 16), and SDKs of Service Bus (sdks/*.txt: .NET, Java, Go, the next Python, sections 0 to 11), to
// whom JMS is not served; among these some that can be had, as they were recorded. There are the
// queues `q` and, for SDKs, `letters`, which has sessions, and the topic `t`, for SDKs with the
// subscription `s`.
//
//   > 'AMQP' 00 01 00 00        bytes (tests/amqp/hex.h)
//   > 3 00 53 17 45             a frame on channel 3; `sasl` instead of a channel, a frame of SASL
//   ! send q hello              somebody else sends a message to an entity
//   ! subscriptions t           tells the names of those that a topic has
//   ! advance 60                lets so many seconds go by
//   ----                        and the answer, up to an empty line
//
// What chance and the clock have a part in stands there as UUID and TIME; the transaction that was
// declared last as TXN, and the lock that was told last over `$management` as TOKEN, also in what
// is said. WHARF_REWRITE_TRANSCRIPTS=1 writes the answers anew.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/amqp/endpoint/frame_text.h"
#include "tests/amqp/entities/jms_fixture.h"
#include "tests/amqp/scripts/client_script.h"

namespace wharf::amqp {
namespace {

std::string WithoutChance(const std::string& line) {
  static const std::regex uuid("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  static const std::regex time("Timestamp:[-0-9TZ:.]+");
  static const std::regex tag("delivery-tag=b'[0-9a-f]+'");
  std::string text = std::regex_replace(line, uuid, "UUID");
  text = std::regex_replace(text, time, "Timestamp:TIME");
  // The same in the payload of an answer.
  static const std::regex told("547261636b696e6749643a(?:[0-9a-f]{2}){36}");
  text = std::regex_replace(text, told, "547261636b696e6749643aUUID");
  // Ids of messages that came without one.
  static const std::regex drawn("a1(20|24)(?:3[0-9]|6[1-6]|2d){32,36}");
  text = std::regex_replace(text, drawn, "a1$1UUID");
  return std::regex_replace(text, tag, "delivery-tag=TAG");
}

class DialogueTest : public JmsFixture,
                     public ::testing::WithParamInterface<std::filesystem::path> {
 protected:
  DialogueTest() : JmsFixture(IsOfJms()) {
    QueueDescription letters;
    letters.name = "letters";
    letters.requires_session = true;
    EXPECT_TRUE(broker_.CreateQueue(letters).ok());
    QueueDescription subscription;
    subscription.name = "t/Subscriptions/s";
    EXPECT_TRUE(IsOfJms() || broker_.Create(EntityKind::kSubscription, subscription).ok());
  }

  static bool IsOfJms() { return GetParam().parent_path().filename() == "jms"; }
  // The whole dialogue with the answers that are given now.
  std::string Replayed(std::istream& script) {
    const Guest guest = Connect();
    FrameText frames;
    std::string text;
    bool is_answer = false;
    for (std::string line; std::getline(script, line);) {
      if (line.empty()) is_answer = false;
      if (is_answer) continue;
      text += line + "\n";
      if (line.starts_with("> "))
        (*guest.served)->Feed(SaidOf(WithIds(line.substr(2))).wire(), now_);
      if (line.starts_with("! ")) told_ += Do(line.substr(2));
      if (line != "----") continue;
      is_answer = true;
      text += std::exchange(told_, {});
      for (std::string bytes = Hear(*guest.served); !bytes.empty(); bytes = Hear(*guest.served)) {
        for (const std::string& frame : frames.Read(bytes)) text += Heard(frame) + "\n";
      }
    }
    return text;
  }

 private:
  std::string WithIds(const std::string& line) const {
    return std::regex_replace(std::regex_replace(line, std::regex("TXN"), transaction_),
                              std::regex("TOKEN"), token_);
  }
  std::string Heard(const std::string& frame) {
    static const std::regex declared("txn-id=b'([0-9a-f]+)'");
    std::smatch found;
    if (std::regex_search(frame, found, declared)) transaction_ = found[1];
    // Behind "lock-token", a uuid.
    static const std::regex locked("(6c6f636b2d746f6b656e98)([0-9a-f]{32})");
    if (std::regex_search(frame, found, locked)) token_ = found[2];
    std::string text = std::regex_replace(frame, declared, "txn-id=TXN");
    text = std::regex_replace(text, locked, "$1TOKEN");
    return WithoutChance(text);
  }

  std::string Do(const std::string& command) {
    std::istringstream words(command);
    std::string verb;
    std::string what;
    std::string body;
    words >> verb >> what >> body;
    if (verb == "send") {
      std::vector<Message> messages(1);
      messages[0].body = body;
      EXPECT_TRUE(broker_.Send(what, std::move(messages)).ok());
    } else if (verb == "advance") {
      broker_.Advance(std::chrono::seconds(std::stoi(what)));
    } else if (verb == "subscriptions") {
      std::string names;
      for (const std::string& name : SubscriptionsOf(what)) names += WithoutChance(name) + "\n";
      return names.empty() ? "none\n" : names;
    }
    return {};
  }

  std::string told_;
  // In hexadecimal digits.
  std::string transaction_;
  std::string token_;
};

TEST_P(DialogueTest, IsAnsweredAsItStands) {
  std::ifstream file(GetParam());
  std::stringstream golden;
  golden << file.rdbuf();
  const std::string replayed = Replayed(golden);
  if (std::getenv("WHARF_REWRITE_TRANSCRIPTS") != nullptr) {
    std::ofstream(GetParam()) << replayed;
  } else {
    EXPECT_EQ(replayed, golden.str()) << GetParam();
  }
}

INSTANTIATE_TEST_SUITE_P(Clients, DialogueTest,
                         ::testing::ValuesIn(DialoguesIn(WHARF_DIALOGUES_FOLDER)),
                         [](const auto& info) { return info.param.stem().string(); });

}  // namespace
}  // namespace wharf::amqp

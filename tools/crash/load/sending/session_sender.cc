#include "tools/crash/load/sending/session_sender.h"

#include <vector>

#include <fmt/core.h>

#include "tools/crash/clients/recorded_client.h"

namespace wharf::crash {
namespace {

constexpr std::uint64_t kSessions = 6;

}  // namespace

std::string DrawSession(Dice& dice) { return fmt::format("chat-{}", dice.Below(kSessions)); }

void SessionSender::Run(Life& life, Dice& dice) {
  RecordedClient client(life.address, life.recorder, life.progress);
  Status status;
  while (!IsGone(status) && life.progress.WaitForRoom(kBacklogMax)) {
    std::vector<v1::Message> messages;
    for (std::uint64_t left = dice.Between(1, 6); left > 0; --left) {
      messages.push_back(messages_.Make(dice));
      messages.back().set_session_id(DrawSession(dice));
    }
    status = client.Send(life.queues.chats, messages, dice.Chance(30));
  }
}

}  // namespace wharf::crash

#include "tools/crash/load/sending/wisp_sender.h"

#include <vector>

#include "tools/crash/clients/recorded_client.h"

namespace wharf::crash {
namespace {

// As long as the queue lets it, for which a life is too short; or so short that it is not.
Duration DrawTimeToLive(Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  if (lot < 40) return {};
  return std::chrono::milliseconds(lot < 60 ? 50 : dice.Between(1, 999));
}

}  // namespace

// What does not go together, because its time differs or its body is stored elsewhere, lies among
// the others now and then.
void WispSender::Run(Life& life, Dice& dice) {
  RecordedClient client(life.address, life.recorder, life.progress);
  Status status;
  while (!IsGone(status) && life.progress.WaitForMore(dice.Between(1, 12))) {
    const bool has_one_time = dice.Chance(80);
    const bool is_small = dice.Chance(75);
    Duration time_to_live = DrawTimeToLive(dice);
    std::vector<v1::Message> messages;
    for (std::uint64_t left = dice.Between(2, 60); left > 0; --left) {
      messages.push_back(is_small ? messages_.MakeSmall(dice) : messages_.Make(dice));
      if (!has_one_time) time_to_live = DrawTimeToLive(dice);
      if (time_to_live == Duration(0)) continue;
      SetDuration(time_to_live, messages.back().mutable_time_to_live());
    }
    status = client.Send(life.queues.wisps, messages, dice.Chance(50));
  }
}

}  // namespace wharf::crash

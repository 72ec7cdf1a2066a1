// Outgoing: the stream by which this node sends one kind of traffic to one member; dialled, and
// dialled again when it ends.
//
//   pausing -> dialling -> greeting (hello sent) -> up -> pausing ...
//
// Owned by Peers, used on its strand.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "replication/peers/admission/live_processes.h"
#include "replication/peers/peer_world.h"
#include "replication/peers/streams/dial.h"
#include "replication/peers/streams/framed_stream.h"
#include "replication/peers/streams/peer_link.h"
#include "replication/peers/streams/pulse.h"
#include "replication/peers/streams/strand_timer.h"

namespace wharf {

class Outgoing final : private FramedStream::User {
 public:
  // `down` is called when a stream ends that was up; what was on its way may be lost.
  Outgoing(PeerWorld& world, std::shared_ptr<PeerLink> link, Traffic traffic,
           std::function<void()> down);
  ~Outgoing() override;

  void Start() { Dial(); }
  // There is something in the queue that was empty.
  void Wake() { FillRoom(); }
  // The other end is known to be there again: does not wait any longer.
  void Hurry();

 private:
  void Dial();
  void OnDialled(Result<boost::asio::ip::tcp::socket> dialled);

  // --- FramedStream::User ---
  void OnBegun() override;
  Status OnFrame(Frame frame) override;
  void OnRoom() override { FillRoom(); }
  void OnEnd(const Status& why) override { Fail(why); }

  Status OnAnswer(const Frame& frame);
  Status OnWelcome(const Hello& welcome);
  void BeUp(const Hello& welcome);
  void FillRoom();
  // Ends the stream, if there is one, and dials again later.
  void Fail(const Status& why);
  void Tell(const Status& why);
  void LetGo();
  std::string Name() const;

  PeerWorld& world_;
  const std::shared_ptr<PeerLink> link_;
  const Traffic traffic_;
  const std::function<void()> down_;
  RedialPause pause_;
  StrandTimer redial_;
  bool is_pausing_ = false;
  std::unique_ptr<wharf::Dial> dial_;
  std::shared_ptr<FramedStream> stream_;
  // Where the stream leads to; of a stream that is up, the rest.
  std::string where_;
  LiveProcesses::Presence presence_;
  std::unique_ptr<Pulse> pulse_;
  Duration up_since_{};
};

}  // namespace wharf

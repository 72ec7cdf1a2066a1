// WorldRun::Receiver: a receiver of a WorldRun, which tells the run what it gets.
//
// Belongs to the run; the broker keeps it as long as it is attached.
#pragma once

#include <utility>
#include <vector>

#include "tests/engine/world/world_run.h"

namespace wharf {

class WorldRun::Receiver final : public DeliverySink {
 public:
  Receiver(WorldRun& run, ModelPath path, ReceiveMode mode)
      : run_(run), path_(std::move(path)), mode_(mode) {}

  void OnDeliveries(std::vector<Delivered> deliveries) override {
    credit_ -= deliveries.size();
    run_.TakeDeliveries(*this, deliveries);
  }
  void OnDrained(Credit left) override {
    credit_ -= left.messages;
    run_.TakeDrained(*this, left.messages);
  }
  void OnStopped() override {}
  void OnDetached(Status) override { is_attached_ = false; }

  void OnAttached(HolderId id) {
    id_ = id;
    is_attached_ = true;
  }
  void NoteGranted(std::uint64_t messages) { credit_ += messages; }

  const ModelPath& path() const { return path_; }
  ReceiveMode mode() const { return mode_; }
  HolderId id() const { return id_; }
  bool is_attached() const { return is_attached_; }
  // How many messages it may still get.
  std::uint64_t credit() const { return credit_; }

 private:
  WorldRun& run_;
  const ModelPath path_;
  const ReceiveMode mode_;
  HolderId id_{};
  bool is_attached_ = false;
  std::uint64_t credit_ = 0;
};

}  // namespace wharf

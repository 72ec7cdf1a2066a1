// RecordingEntities: what a connection gives to its links and takes away again, as lines; every
// link is answered at once, with credit for what comes and nothing that goes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "broker/doors/amqp/connection/entity_links.h"

namespace wharf::amqp {

class RecordingEntities final : public EntityDoor {
 public:
  bool is_open() const override { return true; }
  std::unique_ptr<EntityLinks> Serve(OpenConnection& connection) override {
    return std::make_unique<Links>(connection, *this);
  }

  std::vector<std::string> lines;
  // Of the permits: what each lets its link ask for.
  std::vector<std::string> resources;

 private:
  class Links final : public EntityLinks {
   public:
    Links(OpenConnection& connection, RecordingEntities& door)
        : connection_(connection), door_(door), lines_(door.lines) {}
    ~Links() override { lines_.push_back("gone"); }

    void OnAttached(const Granted& granted) override {
      Link& link = *connection_.endpoint().FindLink(granted.link);
      const std::string who = granted.permit == nullptr ? "nobody" : granted.permit->Owner();
      if (granted.permit != nullptr) door_.resources.push_back(granted.permit->resource);
      lines_.push_back("attached " + granted.node.path + " by " + who);
      if (granted.node.path == "nowhere") {
        const Error error = ErrorOf(amqp_error::kNotFound, "no such queue");
        connection_.NoteRefused({"its link was refused", error, "nowhere", NewTrackingId()});
        return link.Refuse(error);
      }
      Attach answer;
      answer.source = granted.attach.source;
      answer.target = granted.attach.target;
      link.SendAttach(std::move(answer));
      connection_.NoteAccepted(granted.link);
      if (link.role() == Role::kReceiver) link.SetCredit(10);
    }
    void OnRenewed(LinkId /*link*/, const access::PermitPtr& permit) override {
      door_.resources.push_back(permit->resource);
      lines_.push_back("renewed by " + permit->Owner());
    }
    void OnEvent(Event& event) override {
      if (const auto* const part = std::get_if<Delivered>(&event)) {
        lines_.push_back("delivered " + std::string(part->payload));
      }
    }
    bool OnDetached(LinkId /*link*/, bool /*is_closed*/) override {
      lines_.push_back("detached");
      return false;
    }
    void OnHeard() override {}
    void OnWritten() override {}
    void OnClosing() override { lines_.push_back("closing"); }

   private:
    OpenConnection& connection_;
    RecordingEntities& door_;
    std::vector<std::string>& lines_;
  };
};

}  // namespace wharf::amqp

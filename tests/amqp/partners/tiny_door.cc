#include "tests/amqp/partners/tiny_door.h"

#include <iterator>
#include <variant>

namespace wharf::amqp {

class TinyDoor::Links final : public EntityLinks {
 public:
  Links(TinyDoor& door, OpenConnection& connection)
      : door_(door),
        connection_(connection),
        links_(door.queues_, connection.endpoint()),
        place_(door.all_.insert(door.all_.end(), this)) {}
  ~Links() override { door_.all_.erase(place_); }

  void OnAttached(const Granted& granted) override {
    links_.Attach(granted.link, granted.attach, granted.node.path);
  }
  void OnRenewed(LinkId /*link*/, const access::PermitPtr& /*permit*/) override {}
  void OnEvent(Event& event) override {
    links_.On(event);
    links_.Send();
    if (std::holds_alternative<Delivered>(event) || std::holds_alternative<Disposed>(event)) {
      door_.WakeAll();
    }
  }
  void OnHeard() override {}
  void OnWritten() override {}
  void OnClosing() override {}
  bool OnDetached(LinkId link, bool /*is_closed*/) override {
    links_.Forget(link);
    return false;
  }

  void Wake() {
    connection_.poster()([this] { links_.Send(); });
  }

 private:
  TinyDoor& door_;
  OpenConnection& connection_;
  TinyLinks links_;
  const std::list<Links*>::iterator place_;
};

std::unique_ptr<EntityLinks> TinyDoor::Serve(OpenConnection& connection) {
  return std::make_unique<Links>(*this, connection);
}

void TinyDoor::WakeAll() {
  for (Links* const links : all_) links->Wake();
}

}  // namespace wharf::amqp

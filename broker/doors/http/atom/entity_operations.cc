#include "broker/doors/http/atom/entity_operations.h"

#include <optional>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "broker/doors/http/atom/condition.h"
#include "broker/doors/http/atom/entity_xml.h"
#include "broker/doors/http/atom/given_description.h"

namespace wharf::atom {
namespace {

using PlaceKind = AtomPlace::Kind;

bool IsSubscription(const AtomCall& call) { return call.place().kind == PlaceKind::kSubscription; }

// That the path says; nothing: a queue or a topic.
std::optional<EntityKind> KindOf(const AtomCall& call) {
  if (IsSubscription(call)) return EntityKind::kSubscription;
  return std::nullopt;
}

// That a description is of.
Result<EntityKind> KindOf(const AtomCall& call, const XmlElement& description) {
  const std::string& name = description.name.name;
  if (IsSubscription(call)) {
    if (name == ElementOf(EntityKind::kSubscription)) return EntityKind::kSubscription;
  } else {
    if (name == ElementOf(EntityKind::kQueue)) return EntityKind::kQueue;
    if (name == ElementOf(EntityKind::kTopic)) return EntityKind::kTopic;
  }
  return Status(ErrorCode::kArgumentError,
                fmt::format("at this path is no {:.64}",
                            name.empty() ? std::string_view("description") : name));
}

void AnswerEntity(AtomCall& call, unsigned status, const QueueSnapshot& entity) {
  call.Entry(status, EntityEntry(entity, call.site()), EtagOf(entity.record));
}

void Create(const AtomCallPtr& call, EntityKind kind, GivenDescription given) {
  Result<QueueDescription> wanted = CreatedAs(call->place().entity, given);
  if (!wanted.ok()) return call->Fail(wanted.status());
  CreateEntityRequest request{.kind = kind,
                              .description = *std::move(wanted),
                              .first_rule = std::move(given.first_rule),
                              .shows_access_rules = true};
  if (given.access_rules) request.access_rules = *std::move(given.access_rules);
  call->Ask(std::move(request),
            [](AtomCall& self, const QueueSnapshot& made) { AnswerEntity(self, 201, made); });
}

// The condition and the description meet the entity as it is in their turn: two who change it at a
// time do not mix.
void Update(const AtomCallPtr& call, EntityKind kind, GivenDescription given,
            const std::string& if_match) {
  auto condition = std::make_shared<Condition>(if_match);
  UpdateEntityRequest request{.kind = kind, .name = call->place().entity};
  request.shows_access_rules = true;
  request.access_rules = std::move(given.access_rules);
  request.edit = [condition, given = std::move(given)](
                     const EntityRecord& current) -> Result<QueueDescription> {
    if (!condition->is_of_any()) WHARF_RETURN_IF_ERROR(condition->Check(EtagOf(current)));
    return UpdatedTo(current.description, given);
  };
  call->AskIf(condition, std::move(request), [](AtomCall& self, const QueueSnapshot& changed) {
    AnswerEntity(self, 200, changed);
  });
}

}  // namespace

void GetEntity(const AtomCallPtr& call) {
  GetEntityRequest request{.kind = KindOf(*call), .name = call->place().entity};
  request.shows_access_rules = true;
  call->Ask(std::move(request),
            [](AtomCall& self, const QueueSnapshot& entity) { AnswerEntity(self, 200, entity); });
}

void PutEntity(const AtomCallPtr& call) {
  const Result<XmlElement> description = ContentOf(call->body());
  if (!description.ok()) return call->Fail(description.status());
  const Result<EntityKind> kind = KindOf(*call, *description);
  if (!kind.ok()) return call->Fail(kind.status());
  Result<GivenDescription> given = DescriptionFromXml(*kind, *description);
  if (!given.ok()) return call->Fail(given.status());
  const std::string* const if_match = call->Find("If-Match");
  if (if_match == nullptr) return Create(call, *kind, *std::move(given));
  Update(call, *kind, *std::move(given), *if_match);
}

void DeleteEntity(const AtomCallPtr& call) {
  const std::string* const if_match = call->Find("If-Match");
  auto condition = std::make_shared<Condition>(if_match == nullptr ? "*" : *if_match);
  DeleteEntityRequest request{.kind = KindOf(*call), .name = call->place().entity};
  if (!condition->is_of_any()) {
    request.check = [condition](const EntityRecord& current) {
      return condition->Check(EtagOf(current));
    };
  }
  call->AskIf(condition, std::move(request), [](AtomCall& self, std::monostate) { self.Done(); });
}

void ListEntities(const AtomCallPtr& call) {
  const Result<PagePlace> page = call->Page();
  if (!page.ok()) return call->Fail(page.status());
  ListEntitiesRequest request{
      .kind = call->place().kind == PlaceKind::kQueues ? EntityKind::kQueue : EntityKind::kTopic,
      .count_max = page->top,
      .skip = page->skip,
      .shows_access_rules = true};
  call->Ask(std::move(request), [page = *page](AtomCall& self, const QueuePage& found) {
    self.Feed(EntityFeed(page, found, self.site()));
  });
}

void ListSubscriptions(const AtomCallPtr& call) {
  const Result<PagePlace> page = call->Page();
  if (!page.ok()) return call->Fail(page.status());
  ListSubscriptionsRequest request{
      .topic = call->place().entity, .count_max = page->top, .skip = page->skip};
  call->Ask(std::move(request), [page = *page](AtomCall& self, const QueuePage& found) {
    self.Feed(EntityFeed(page, found, self.site()));
  });
}

}  // namespace wharf::atom

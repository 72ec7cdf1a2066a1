#include "broker/schema/access_loader.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "broker/core/entities/names.h"
#include "broker/schema/access_record.h"
#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/span_view.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

// What rules belong to, by its folded name; the namespace's is empty.
using Resources = std::map<EntityId, std::string>;

// Whatever its key is.
KeyRange EveryRow() { return {std::string(), std::string(300, '\xFF')}; }

bool AreOfNamespace(const std::vector<AccessRuleSet>& rules) {
  return std::all_of(rules.begin(), rules.end(),
                     [](const AccessRuleSet& each) { return each.entity == EntityId(); });
}

Status LoadResources(const StoreView& view, Resources& resources) {
  const auto entities = view.Scan(IdOf(Table::kCatalog), EveryRow());
  for (; entities->valid(); entities->Next()) {
    const Result<EntityRecord> record = DecodeEntity(entities->value());
    if (!record.ok()) return record.status();
    resources.emplace(record->id, FoldPath(record->description.name));
  }
  return entities->status();
}

}  // namespace

Status LoadAccessRules(const StoreView& view, std::vector<AccessRuleSet>& rules) {
  const auto rows = view.Scan(IdOf(Table::kAccess), EveryRow());
  for (; rows->valid(); rows->Next()) {
    const std::optional<EntityId> entity = EntityOfAccessRuleKey(rows->key());
    if (!entity) return {ErrorCode::kGeneralError, "a key of the access rules is damaged"};
    Result<access::AccessRule> rule = DecodeAccessRule(rows->value());
    if (!rule.ok()) return rule.status();
    if (rows->key() != AccessRuleKey(*entity, rule->name())) {
      return {ErrorCode::kGeneralError, "an access rule stands under the name of another one"};
    }
    rules.push_back({*entity, *std::move(rule)});
  }
  return rows->status();
}

Result<access::Book> LoadAccessBook(const Store& store) {
  const SpanView view(store.View());
  std::vector<AccessRuleSet> rules;
  WHARF_RETURN_IF_ERROR(LoadAccessRules(view, rules));
  Resources resources = {{EntityId(), ""}};
  if (!AreOfNamespace(rules)) WHARF_RETURN_IF_ERROR(LoadResources(view, resources));
  access::Book book;
  for (const AccessRuleSet& each : rules) {
    const auto resource = resources.find(each.entity);
    if (resource != resources.end()) book = book.With(resource->second, *each.rule);
  }
  return book;
}

bool ChangesAccess(const BatchNotes& notes) {
  return std::any_of(notes.watched.begin(), notes.watched.end(), [](const WatchedWrite& write) {
    return write.rows.table == IdOf(Table::kAccess);
  });
}

}  // namespace wharf

#include "broker/engine/requests/access_handler.h"

#include <utility>

#include "broker/engine/requests/reply.h"

namespace wharf {

void AccessHandler::Plan(Asked<CreateAccessRuleRequest> asked, Turn& turn) {
  Reply(turn, std::move(asked.answer),
        rules_.Create(std::move(asked.request), AuditLog::AuthorOf(asked.caller), turn));
}

void AccessHandler::Plan(Asked<GetAccessRuleRequest> asked, Turn& turn) {
  Reply(turn, std::move(asked.answer), rules_.Get(asked.request));
}

void AccessHandler::Plan(Asked<ListAccessRulesRequest> asked, Turn& turn) {
  Reply(turn, std::move(asked.answer), rules_.List(asked.request));
}

void AccessHandler::Plan(Asked<RotateAccessKeyRequest> asked, Turn& turn) {
  Reply(turn, std::move(asked.answer),
        rules_.Rotate(std::move(asked.request), AuditLog::AuthorOf(asked.caller), turn));
}

void AccessHandler::Plan(Asked<RemoveAccessRuleRequest> asked, Turn& turn) {
  Reply(turn, std::move(asked.answer),
        Done(rules_.Remove(std::move(asked.request), AuditLog::AuthorOf(asked.caller), turn)));
}

}  // namespace wharf

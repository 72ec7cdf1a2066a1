// Operations: what the `$management` of an entity can be asked (semantics.md, section 27). Each
// ends with the answer of its Operation. Used by ManagementNode.
#pragma once

#include <memory>

#include "broker/doors/amqp/entities/management/operation.h"

namespace wharf::amqp {

using OperationPtr = std::shared_ptr<Operation>;

// By its name; what is not known is answered so.
void Do(const OperationPtr& operation);

// Of messages that are locked.
void RenewLock(const OperationPtr& operation);
void UpdateDisposition(const OperationPtr& operation);
// Of messages where they are, or by their numbers.
void PeekMessages(const OperationPtr& operation);
void ReceiveByNumber(const OperationPtr& operation);
void DeleteMessages(const OperationPtr& operation);
// Of messages that are scheduled.
void ScheduleMessages(const OperationPtr& operation);
void CancelScheduled(const OperationPtr& operation);
// Of sessions.
void RenewSessionLock(const OperationPtr& operation);
void GetSessionState(const OperationPtr& operation);
void SetSessionState(const OperationPtr& operation);
void ListSessions(const OperationPtr& operation);
// Of the rules of a subscription.
void AddRule(const OperationPtr& operation);
void RemoveRule(const OperationPtr& operation);
void ListRules(const OperationPtr& operation);

}  // namespace wharf::amqp

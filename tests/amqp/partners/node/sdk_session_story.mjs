// sdk_session_story: sessions, and all that an SDK asks `$management`, with nothing changed but the connection string.
// There are the queue `q`, the queue `letters` with sessions, the topic `t` and its subscription `s`.
//
//   node sdk_session_story.mjs CONNECTION_STRING      0 if all went as it should
import assert from 'node:assert';
import { clientOf } from './service_bus.mjs';

const client = clientOf(process.argv[2]);
const soon = { maxWaitTimeInMs: 5000 };
const one = async (receiver) => (await receiver.receiveMessages(1, soon))[0];

const sender = client.createSender('q');
const letters = client.createSender('letters');

// --- receive and delete

await sender.sendMessages({ body: 'gone' });
const consumer = client.createReceiver('q', { receiveMode: 'receiveAndDelete' });
assert.strictEqual((await one(consumer)).body, 'gone');
assert.deepStrictEqual(await consumer.receiveMessages(1, { maxWaitTimeInMs: 100 }), []);
await consumer.close();
console.log('received and deleted');

// --- by numbers, and by tokens

const receiver = client.createReceiver('q');
const at = new Date(Date.now() + 3_600_000);
const [first, second] = await sender.scheduleMessages([{ body: 'later' }, { body: 'never' }], at);
assert.ok(second.greaterThan(first));
const scheduled = await receiver.peekMessages(10);
assert.deepStrictEqual(scheduled.map(({ body, state }) => [body, state]), [['later', 'scheduled'], ['never', 'scheduled']]);
await sender.cancelScheduledMessages([first, second]);
assert.deepStrictEqual(await receiver.peekMessages(10, { fromSequenceNumber: first.subtract(first) }), []);
await sender.sendMessages({ body: 'at its time', scheduledEnqueueTimeUtc: new Date(Date.now() + 500) });
const timed = await one(receiver);
assert.strictEqual(timed.body, 'at its time');
assert.ok(timed.scheduledEnqueueTimeUtc <= timed.enqueuedTimeUtc);
await receiver.completeMessage(timed);
console.log('scheduled');

await sender.sendMessages([{ body: 'a' }, { body: 'b' }]);
const held = await one(receiver);
const until = held.lockedUntilUtc;
const renewed = await receiver.renewMessageLock(held);
assert.ok(renewed >= until);
await receiver.deferMessage(held);
const [deferred] = await receiver.receiveDeferredMessages(held.sequenceNumber);
assert.strictEqual(deferred.body, 'a');
assert.strictEqual(deferred.state, 'deferred');
await receiver.completeMessage(deferred);
await assert.rejects(receiver.receiveDeferredMessages(held.sequenceNumber), ({ code }) => code === 'MessageNotFound');
console.log('renewed and deferred');

// A lock outlives its link: then it is settled by its token.
const other = await one(receiver);
await receiver.close();
await client.createReceiver('q').completeMessage(other);
const late = client.createReceiver('q');
await assert.rejects(late.completeMessage(other), ({ code }) => code === 'MessageLockLost');
assert.deepStrictEqual(await late.peekMessages(10), []);
console.log('settled behind its link');

// --- what is always empty

const nothing = client.createReceiver('q', { subQueueType: 'transferDeadLetter' });
assert.deepStrictEqual(await nothing.receiveMessages(1, { maxWaitTimeInMs: 100 }), []);
assert.deepStrictEqual(await nothing.peekMessages(1), []);
console.log('found nothing');

// --- sessions

await letters.sendMessages([
  { body: 'Dear Anna', sessionId: 'anna' }, { body: 'Yours, Bert', sessionId: 'anna' },
  { body: 'Dear Carla', sessionId: 'carla' },
]);
const anna = await client.acceptSession('letters', 'anna');
assert.strictEqual(anna.sessionId, 'anna');
assert.ok(anna.sessionLockedUntilUtc > new Date());
await assert.rejects(client.acceptSession('letters', 'anna'), ({ code }) => code === 'SessionCannotBeLocked');
const next = await client.acceptNextSession('letters');
assert.strictEqual(next.sessionId, 'carla');
const impatient = clientOf(process.argv[2], { retryOptions: { timeoutInMs: 1000, maxRetries: 0 } });
await assert.rejects(impatient.acceptNextSession('letters'), ({ code }) => code === 'ServiceTimeout');
await impatient.close();
console.log('accepted');

const dear = await anna.receiveMessages(2, soon);
assert.deepStrictEqual(dear.map(({ body }) => body), ['Dear Anna', 'Yours, Bert']);
assert.strictEqual(await anna.getSessionState(), null);
await anna.setSessionState({ pages: 2 });
assert.deepStrictEqual(await anna.getSessionState(), { pages: 2 });
const lockedUntil = anna.sessionLockedUntilUtc;
assert.ok(await anna.renewSessionLock() >= lockedUntil);
await anna.completeMessage(dear[0]);
await anna.deferMessage(dear[1]);
const [again] = await anna.receiveDeferredMessages(dear[1].sequenceNumber);
assert.strictEqual(again.body, 'Yours, Bert');
await anna.completeMessage(again);
assert.deepStrictEqual(await anna.peekMessages(10), []);
console.log('kept its state');

// What was given and not settled comes back without counting.
assert.strictEqual((await one(next)).body, 'Dear Carla');
await next.close();
const carla = await client.acceptSession('letters', 'carla');
const [back] = await carla.receiveMessages(1, soon);
assert.strictEqual(back.deliveryCount, 0);
await carla.completeMessage(back);
await carla.close();
await anna.setSessionState(null);
await anna.close();
console.log('given back');

// --- rules

const rules = client.createRuleManager('t', 's');
const names = async () => {
  const found = [];
  for await (const rule of rules.listRules()) found.push(rule.name);
  return found.sort();
};
assert.deepStrictEqual(await names(), ['$Default']);
await rules.createRule('large', { sqlExpression: 'amount > 100' }, { sqlExpression: "SET priority = 'high'" });
await rules.createRule('red', { subject: 'red', applicationProperties: { size: 'big' } });
await assert.rejects(rules.createRule('red', { subject: 'red' }));
await rules.deleteRule('$Default');
assert.deepStrictEqual(await names(), ['large', 'red']);
const [large, red] = await (async () => {
  const found = [];
  for await (const rule of rules.listRules()) found.push(rule);
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
})();
assert.strictEqual(large.filter.sqlExpression, 'amount > 100');
assert.strictEqual(large.action.sqlExpression, "SET priority = 'high'");
assert.strictEqual(red.filter.subject, 'red');
assert.deepStrictEqual({ ...red.filter.applicationProperties }, { size: 'big' });
await assert.rejects(rules.deleteRule('nobody'), ({ code }) => code === 'MessagingEntityNotFound');
console.log('ruled');

await client.close();
console.log('closed');

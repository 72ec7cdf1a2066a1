// sdk_methods_story: every method of Azure's JavaScript SDK, of the package that AZURE_SERVICE_BUS names. There are the
// queue `q`, the queue `letters` with sessions, the topic `t` and its subscription `s`; and `brief` and `brief/letters`,
// whose locks are over within seconds.
//
//   node sdk_methods_story.mjs CONNECTION_STRING      0 if all went as it should
import assert from 'node:assert';
import { setTimeout } from 'node:timers/promises';
import Long from 'long';
import { notCalled, watched } from './sdk_methods.mjs';
import { clientOf } from './service_bus.mjs';

const client = watched('ServiceBusClient', clientOf(process.argv[2]));
const senderOf = (path) => watched('ServiceBusSender', client.createSender(path));
const receiverOf = (...path) => watched('ServiceBusReceiver', client.createReceiver(...path));
const sessionOf = async (path, id) =>
  watched('ServiceBusSessionReceiver', await (id ? client.acceptSession(path, id) : client.acceptNextSession(path)));

const soon = { maxWaitTimeInMs: 30_000 };
const several = async (receiver, count) => {
  const found = [];
  while (found.length < count) found.push(...(await receiver.receiveMessages(count - found.length, soon)));
  return found;
};
const one = async (receiver) => (await several(receiver, 1))[0];
const zero = Long.fromNumber(0);
// From the first one on: of its own accord the SDK goes on where the last look at the entity ended.
const seen = async (receiver) => {
  const messages = await receiver.peekMessages(10, { fromSequenceNumber: zero });
  return messages.map(({ body }) => body);
};
const properties = ({ applicationProperties }) => ({ ...applicationProperties });
const nobody = { processError: async ({ error }) => assert.fail(error) };

// --- locks that are renewed by themselves, as they are unless a program says otherwise; the rest goes on meanwhile

const brief = receiverOf('brief');
const briefSender = senderOf('brief');
const briefLetters = senderOf('brief/letters');
await briefSender.sendMessages({ body: 'takes long' });
await briefLetters.sendMessages({ body: 'takes long', sessionId: 'anna' });
const briefly = await sessionOf('brief/letters', 'anna');
const completedWhenRenewed = (held, until) =>
  new Promise((resolve) => {
    const processMessage = async (message) => {
      for (const first = until(message); until(message) <= first;) await setTimeout(20);
      await held.completeMessage(message);
      resolve(message.deliveryCount);
    };
    held.subscribe({ ...nobody, processMessage }, { autoCompleteMessages: false });
  });
const takesLong = Promise.all([
  completedWhenRenewed(brief, ({ lockedUntilUtc }) => lockedUntilUtc),
  completedWhenRenewed(briefly, () => briefly.sessionLockedUntilUtc),
]);

const sender = senderOf('q');
const receiver = receiverOf('q');

// --- batches, and what is looped over

const batch = watched('ServiceBusMessageBatch', await sender.createMessageBatch({ maxSizeInBytes: 5000 }));
while (batch.tryAddMessage({ body: 'x'.repeat(100), applicationProperties: { number: batch.count } }));
assert.ok(batch.count > 10 && batch.sizeInBytes <= 5000);
await sender.sendMessages(batch);
await assert.rejects(sender.createMessageBatch({ maxSizeInBytes: 50_000_000 }));
console.log('batched');

const looped = [];
for await (const message of receiver.getMessageIterator()) {
  looped.push(message.applicationProperties.number);
  await receiver.completeMessage(message);
  if (looped.length === batch.count) break;
}
assert.deepStrictEqual(looped, [...Array(batch.count).keys()]);
assert.deepStrictEqual(await seen(receiver), []);
console.log('looped over');

// --- what settling changes: by the link, and by `$management` for what is deferred

const dead = receiverOf('q', { subQueueType: 'deadLetter' });
const reasons = ({ deadLetterReason, deadLetterErrorDescription }) => [deadLetterReason, deadLetterErrorDescription];
// It shows times as numbers, unless it is told not to.
const at = 1_700_000_000_000;
await sender.sendMessages({ body: 'changed', applicationProperties: { kept: 'as it was', number: 1 } });
await receiver.abandonMessage(await one(receiver), { number: 2, text: 'two' });
let message = await one(receiver);
assert.deepStrictEqual(properties(message), { kept: 'as it was', number: 2, text: 'two' });
await receiver.deferMessage(message, { flag: true, at: new Date(at) });
[message] = await receiver.receiveDeferredMessages(message.sequenceNumber);
assert.deepStrictEqual(properties(message), { kept: 'as it was', number: 2, text: 'two', flag: true, at });
await receiver.abandonMessage(message, { text: 'three' });
[message] = await receiver.receiveDeferredMessages(message.sequenceNumber);
assert.strictEqual(message.applicationProperties.text, 'three');
await receiver.deferMessage(message, { text: 'four' });
[message] = await receiver.receiveDeferredMessages(message.sequenceNumber);
const why = { deadLetterReason: 'broken', deadLetterErrorDescription: 'really' };
await receiver.deadLetterMessage(message, { ...why, number: 5 });
message = await one(dead);
assert.deepStrictEqual(reasons(message), ['broken', 'really']);
const rest = { kept: 'as it was', number: 5, text: 'four', flag: true, at };
assert.deepStrictEqual(properties(message), {
  ...rest,
  DeadLetterReason: 'broken',
  DeadLetterErrorDescription: 'really',
});
await dead.completeMessage(message);
await sender.sendMessages({ body: 'by the link' });
await receiver.deadLetterMessage(await one(receiver), { ...why, number: 6 });
message = await one(dead);
assert.deepStrictEqual([...reasons(message), message.applicationProperties.number], ['broken', 'really', 6]);
await dead.completeMessage(message);
await dead.close();
console.log('changed what it settled');

// --- streams, and what is deleted unread

// Each is completed by the SDK when it has been handled; the last one a moment after that.
const streamed = async (stream, wanted) => {
  const found = [];
  let subscription;
  await new Promise((resolve) => {
    const processMessage = async ({ body }) => void (found.push(body) === wanted && resolve());
    subscription = stream.subscribe({ ...nobody, processMessage });
  });
  while ((await seen(stream)).length > 0);
  await subscription.close();
  return found;
};
await sender.sendMessages([{ body: 'a' }, { body: 'b' }, { body: 'c' }]);
assert.deepStrictEqual(await streamed(receiver, 3), ['a', 'b', 'c']);
const hourLater = () => new Date(Date.now() + 3_600_000);
const numbers = await sender.scheduleMessages([{ body: 'later' }, { body: 'never' }], hourLater());
await sender.cancelScheduledMessages(numbers);
await sender.sendMessages({ body: 'held' });
message = await one(receiver);
assert.ok((await receiver.renewMessageLock(message)) >= message.lockedUntilUtc);
await receiver.completeMessage(message);
assert.deepStrictEqual(await seen(receiver), []);
const unread = async (from, path, more) => {
  const owner = senderOf(path);
  await owner.sendMessages(Array.from({ length: 7 }, (_, i) => ({ body: i, ...more })));
  const beforeEnqueueTime = hourLater();
  assert.strictEqual(await from.deleteMessages({ maxMessageCount: 5, beforeEnqueueTime }), 5);
  assert.deepStrictEqual(await seen(from), [5, 6]);
  await owner.sendMessages(Array.from({ length: 4 }, (_, i) => ({ body: i, ...more })));
  assert.strictEqual(await from.purgeMessages({ beforeEnqueueTime }), 6);
  assert.deepStrictEqual(await seen(from), []);
  await owner.close();
};
const canDelete = 'deleteMessages' in receiver;
if (canDelete) await unread(receiver, 'q');
console.log('streamed');

// --- the same of a session

const letters = senderOf('letters');
await letters.sendMessages(['a', 'b', 'c', 'd', 'e', 'f'].map((body) => ({ body, sessionId: 'anna' })));
await letters.sendMessages({ body: 'g', sessionId: 'bert' });
const anna = await sessionOf('letters', 'anna');
for await (const letter of anna.getMessageIterator()) {
  assert.strictEqual(letter.body, 'a');
  await anna.completeMessage(letter);
  break;
}
await anna.setSessionState('page 2');
assert.strictEqual(await anna.getSessionState(), 'page 2');
await anna.setSessionState(null);
assert.ok((await anna.renewSessionLock()) > new Date());
// Its messages have no locks of their own.
await assert.rejects(async () => anna.renewMessageLock());
message = await one(anna);
await anna.abandonMessage(message, { number: 1 });
message = await one(anna);
assert.deepStrictEqual([message.body, message.deliveryCount, properties(message)], ['b', 1, { number: 1 }]);
await anna.deferMessage(message, { number: 2 });
[message] = await anna.receiveDeferredMessages(message.sequenceNumber);
assert.deepStrictEqual([message.body, properties(message)], ['b', { number: 2 }]);
await anna.completeMessage(message);
await anna.deadLetterMessage(await one(anna), { ...why, number: 3 });
const deadLetters = receiverOf('letters', { subQueueType: 'deadLetter' });
message = await one(deadLetters);
assert.deepStrictEqual([message.body, message.sessionId, message.applicationProperties.number], ['c', 'anna', 3]);
await deadLetters.completeMessage(message);
assert.deepStrictEqual(await streamed(anna, 3), ['d', 'e', 'f']);
const bert = await sessionOf('letters');
assert.strictEqual(bert.sessionId, 'bert');
if (canDelete) await unread(anna, 'letters', { sessionId: 'anna' });
assert.deepStrictEqual(await seen(bert), ['g']);
await bert.completeMessage(await one(bert));
console.log('had sessions');

// --- rules

const rules = watched('ServiceBusRuleManager', client.createRuleManager('t', 's'));
await rules.createRule('red', { subject: 'red' });
const names = [];
for await (const { name } of rules.listRules()) names.push(name);
assert.deepStrictEqual(names.sort(), ['$Default', 'red']);
await rules.deleteRule('red');
await rules.close?.();
console.log('ruled');

// --- what has been held meanwhile

assert.deepStrictEqual(await takesLong, [0, 0]);
assert.deepStrictEqual([await seen(brief), await seen(briefly)], [[], []]);
console.log('renewed by itself');

// --- ends

for (const open of [sender, receiver, anna, bert, brief, briefly, briefSender]) {
  assert.strictEqual(open.isClosed, false);
  await open.close();
  assert.strictEqual(open.isClosed, true);
}
await assert.rejects(async () => sender.sendMessages({ body: 'too late' }));
// It was free at once.
const again = await sessionOf('letters', 'anna');
assert.deepStrictEqual(await seen(again), []);
await client.close();
console.log('closed');

const kinds = ['Client', 'Sender', 'MessageBatch', 'Receiver', 'SessionReceiver', 'RuleManager'];
assert.deepStrictEqual(notCalled(...kinds.map((kind) => `ServiceBus${kind}`)), []);
console.log('left nothing out');

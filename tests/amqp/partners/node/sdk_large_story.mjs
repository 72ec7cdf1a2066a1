// sdk_large_story: messages over 1 MiB by Azure's JavaScript SDK: set aside, and received by their numbers; and bodies
// that do not tell how long they are. The queue `large` takes 8 MiB.
//
//   node sdk_large_story.mjs CONNECTION_STRING      0 if all went as it should
import assert from 'node:assert';
import { clientOf } from './service_bus.mjs';

const client = clientOf(process.argv[2]);
const sender = client.createSender('large');
const receiver = client.createReceiver('large');
const receive = async () => (await receiver.receiveMessages(1, { maxWaitTimeInMs: 20000 }))[0];

const body = Buffer.alloc(5 << 20, 'five MiB of a body. ');
const deferred = [];
for (const messageId of ['first', 'second', 'third']) {
  await sender.sendMessages({ body, messageId, applicationProperties: { of: messageId } });
  const message = await receive();
  assert.ok(body.equals(message.body));
  await receiver.deferMessage(message);
  deferred.push(message.sequenceNumber);
}
console.log('deferred');

const [first] = await receiver.receiveDeferredMessages(deferred[0]);
assert.ok(body.equals(first.body));
assert.deepStrictEqual([first.messageId, first.applicationProperties.of, first.state], ['first', 'first', 'deferred']);
await receiver.renewMessageLock(first);
await receiver.completeMessage(first);
console.log('received by its number');

const deleting = client.createReceiver('large', { receiveMode: 'receiveAndDelete' });
const [second] = await deleting.receiveDeferredMessages(deferred[1]);
assert.ok(body.equals(second.body));
await assert.rejects(receiver.receiveDeferredMessages(deferred[1]));
console.log('received and deleted');

const two = receiver.receiveDeferredMessages(deferred[2]);
const peeked = receiver.peekMessages(10);
const [third] = await two;
assert.ok(body.equals(third.body));
assert.ok((await peeked).length <= 1);
await receiver.abandonMessage(third);
const [again] = await receiver.receiveDeferredMessages(deferred[2]);
assert.strictEqual(again.deliveryCount, 2);
await receiver.completeMessage(again);
console.log('abandoned, and received again');

const texts = Array.from({ length: 300 }, (_, i) => String(i).repeat(4000));
for (const [bodyType, said] of [['sequence', texts], ['value', { texts }]]) {
  await sender.sendMessages({ bodyType, body: said });
  const message = await receive();
  assert.strictEqual(message._rawAmqpMessage.bodyType, bodyType);
  assert.deepStrictEqual(message.body, said);
  await receiver.completeMessage(message);
}
console.log('sent what does not tell its length');
await client.close();

// sdk_story: what a program does by Azure's JavaScript SDK, with nothing changed but its connection string.
//
//   node sdk_story.mjs CONNECTION_STRING      0 if all went as it should
import assert from 'node:assert';
import { clientOf } from './service_bus.mjs';

const client = clientOf(process.argv[2]);

const sender = client.createSender('q');
const applicationProperties = { a: 1, b: 'two', c: true };
await sender.sendMessages({ body: { hello: 'you' }, subject: 'one', applicationProperties });
await sender.sendMessages([{ body: 'two' }, { body: 'three' }]);
console.log('sent');

const receiver = client.createReceiver('q');
const first = [];
while (first.length < 3) first.push(...await receiver.receiveMessages(3, { maxWaitTimeInMs: 5000 }));
assert.deepStrictEqual(first.map(({ body }) => body), [{ hello: 'you' }, 'two', 'three']);
assert.strictEqual(first[0].subject, 'one');
assert.deepStrictEqual({ ...first[0].applicationProperties }, applicationProperties);
assert.strictEqual(first[0].sequenceNumber.toNumber() + 1, first[1].sequenceNumber.toNumber());
assert.ok(first[0].lockedUntilUtc > first[0].enqueuedTimeUtc);
await receiver.completeMessage(first[0]);
await receiver.abandonMessage(first[1]);
await receiver.deadLetterMessage(first[2], { deadLetterReason: 'broken', deadLetterErrorDescription: 'really' });
console.log('settled');

const [again] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 5000 });
assert.strictEqual(again.body, 'two');
assert.strictEqual(again.deliveryCount, 1);
await receiver.completeMessage(again);
assert.deepStrictEqual(await receiver.receiveMessages(1, { maxWaitTimeInMs: 100 }), []);
console.log('drained');

const batch = await sender.createMessageBatch();
while (batch.tryAddMessage({ body: 'x'.repeat(1000) }));
assert.ok(batch.sizeInBytes > batch.maxSizeInBytes - 2000 && batch.count > 100);
await sender.sendMessages(batch);
const deleting = client.createReceiver('q', { receiveMode: 'receiveAndDelete' });
for (let left = batch.count; left > 0;) {
  left -= (await deleting.receiveMessages(left, { maxWaitTimeInMs: 5000 })).length;
}
await deleting.close();
console.log('filled a batch');

for (const [bodyType, body] of [['value', { deep: [1, 'two'] }], ['sequence', ['a', 2]]]) {
  const said = { bodyType, body, footer: { crc: 'x' }, messageAnnotations: { note: 'mine' } };
  await sender.sendMessages({ ...said, properties: { messageId: bodyType, userId: 'me' } });
  const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 5000 });
  const { _rawAmqpMessage: raw } = message;
  assert.deepStrictEqual([raw.bodyType, message.body, message.messageId], [bodyType, body, bodyType]);
  assert.deepStrictEqual([{ ...raw.footer }, raw.messageAnnotations.note], [said.footer, 'mine']);
  await receiver.completeMessage(message);
}
console.log('kept what AMQP says');

const dead = client.createReceiver('q', { subQueueType: 'deadLetter' });
const [letter] = await dead.receiveMessages(1, { maxWaitTimeInMs: 5000 });
assert.strictEqual(letter.body, 'three');
assert.strictEqual(letter.deadLetterReason, 'broken');
await dead.completeMessage(letter);
console.log('read what is dead');

const topic = client.createSender('t');
const subscription = client.createReceiver('t', 's');
const streamed = new Promise((resolve, reject) => {
  subscription.subscribe({
    processMessage: async (message) => resolve(message.body),
    processError: async ({ error }) => reject(error),
  });
});
await topic.sendMessages({ body: 'for all' });
assert.strictEqual(await streamed, 'for all');
console.log('subscribed');

await assert.rejects(client.createSender('nowhere').sendMessages({ body: 'x' }),
  ({ code }) => code === 'MessagingEntityNotFound');
console.log('told what is missing');

await client.close();
console.log('closed');

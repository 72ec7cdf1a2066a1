// emulator_story: a program that was written against the emulator of Service Bus, with its connection string and the
// entities of its own example of a Config.json.
//
//   node emulator_story.mjs CONNECTION_STRING first|again      0 if all went as it should
import assert from 'node:assert';
import { clientOf } from './service_bus.mjs';

const [, , connectionString, part] = process.argv;
const client = clientOf(connectionString);
const maxWaitTimeInMs = 5000;

// So many, and no more.
async function receive(count, ...path) {
  const receiver = client.createReceiver(...path, { receiveMode: 'receiveAndDelete' });
  const messages = [];
  while (messages.length < count) messages.push(...await receiver.receiveMessages(count, { maxWaitTimeInMs }));
  assert.deepStrictEqual(await receiver.peekMessages(1), []);
  await receiver.close();
  return messages.map(({ body }) => body).sort();
}

if (part === 'first') {
  const queue = client.createSender('queue.1');
  await queue.sendMessages([{ body: 'one' }, { body: 'stays' }]);
  const receiver = client.createReceiver('queue.1');
  const [one] = await receiver.receiveMessages(1, { maxWaitTimeInMs });
  assert.strictEqual(one.body, 'one');
  await receiver.completeMessage(one);
  await receiver.close();
  console.log('queue');

  const topic = client.createSender('topic.1');
  const match = {
    contentType: 'application/text', correlationId: 'id1', subject: 'subject1', messageId: 'msgid1',
    replyTo: 'someQueue', replyToSessionId: 'sessionId', sessionId: 'session1', to: 'xyz',
  };
  await topic.sendMessages([
    { body: 'system', ...match },
    { body: 'almost', ...match, to: 'other', messageId: 'm2' },
    { body: 'user', applicationProperties: { prop1: 'value1' } },
    { body: 'sql', messageId: '123456', applicationProperties: { userProp1: 'value1' } },
  ]);
  assert.deepStrictEqual(await receive(1, 'topic.1', 'subscription.1'), ['system']);
  assert.deepStrictEqual(await receive(1, 'topic.1', 'subscription.2'), ['user']);
  assert.deepStrictEqual(await receive(4, 'topic.1', 'subscription.3'), ['almost', 'sql', 'system', 'user']);
  console.log('rules');

  const changed = client.createReceiver('topic.1', 'subscription.4');
  const [sql] = await changed.receiveMessages(1, { maxWaitTimeInMs });
  assert.deepStrictEqual([sql.body, sql.to], ['sql', 'Entity']);
  await changed.completeMessage(sql);
  console.log('action');
} else {
  assert.deepStrictEqual(await receive(1, 'queue.1'), ['stays']);
  console.log('kept');
  // MaxDeliveryCount of the file.
  await client.createSender('queue.1').sendMessages({ body: 'bad' });
  const receiver = client.createReceiver('queue.1');
  for (let i = 0; i < 3; i += 1) {
    const [bad] = await receiver.receiveMessages(1, { maxWaitTimeInMs });
    await receiver.abandonMessage(bad);
  }
  const dead = client.createReceiver('queue.1', { subQueueType: 'deadLetter' });
  const [letter] = await dead.receiveMessages(1, { maxWaitTimeInMs });
  assert.deepStrictEqual([letter.body, letter.deadLetterReason], ['bad', 'MaxDeliveryCountExceeded']);
  await dead.completeMessage(letter);
  console.log('dead-lettered');
}
await client.close();

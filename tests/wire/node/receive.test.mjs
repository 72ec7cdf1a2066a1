// Receiving, settling, the dead-letter queue, renewing locks and peeking, call by call.

import assert from 'node:assert/strict';
import test from 'node:test';
import { assertError, assertFails, assertSettled, bodies, call, Client, fixture, status, unknownToken } from './wire.mjs';

const receiveAndDelete = { mode: 'RECEIVE_MODE_RECEIVE_AND_DELETE' };
const lockLost = [status.ABORTED, 'MessageLockLost'];
const brief = (messages) =>
  messages.map((m) => [m.message.body.toString(), Number(m.sequence_number), m.delivery_count]);

// STA-5
test('an empty queue answers at once with nothing', async (t) => {
  const { client, newQueue } = fixture(t);

  assert.deepEqual(await client.receive(await newQueue()), []);
});

// STA-5
test('a waiting receiver wakes when a message arrives', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();
  const waiting = client.receive(name, 5, { max_wait: { seconds: 50 } });
  await client.get(name); // The receive went out before it on the same connection.

  await client.send(name, ['news']);

  assert.deepEqual(bodies(await waiting), ['news']);
});

// LCK-14
test('a receiver that gave up takes nothing with it', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();
  const request = { entity_path: name, max_wait: { seconds: 50 } };
  const cancelled = new Promise((resolve) => {
    const waiting = client.messaging.receive(request, resolve);
    client.get(name).then(() => waiting.cancel());
  });
  assert.equal((await cancelled).code, status.CANCELLED);
  await client.get(name); // The cancellation went out before it; what is sent earlier than that may be lost in flight.

  await client.send(name, ['x']);

  assert.deepEqual(brief([await client.receiveOne(name)]), [['x', 1, 0]]);
});

// STA-1, RCV-2, CNT-1
test('messages come in order and locked', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();
  await client.send(name, ['0', '1', '2']);

  const messages = await client.receive(name, 2);

  assert.deepEqual(brief(messages), [['0', 1, 0], ['1', 2, 0]]);
  assert.deepEqual(messages.map((message) => message.lock_token.length), [16, 16]);
  assert.deepEqual(bodies(await client.receive(name, 5)), ['2']);
});

// RCV-1, CNT-13
test('receive and delete leaves nothing', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();
  await client.send(name, ['0', '1']);

  const [message] = await client.receive(name, 1, receiveAndDelete);

  assert.deepEqual([message.message.body.toString(), message.lock_token.length], ['0', 0]);
  assert.deepEqual(bodies((await client.peek(name)).messages), ['1']);
});

// STL-1, STL-10
test('complete removes for good', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();
  await client.send(name, ['x']);
  const { lock_token: token } = await client.receiveOne(name);

  assertSettled(await client.complete(name, token));

  assert.equal((await client.runtime(name)).total_message_count, '0');
  await assertFails(client.complete(name, token), ...lockLost);
});

// STL-2, STL-7, CNT-3, STA-2, SEQ-8
test('abandon counts, may change properties, and returns the message to its old place', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();
  const properties = { kept: { bool_value: true }, tries: { int32_value: 0 } };
  await client.send(name, [{ body: Buffer.from('first'), application_properties: properties }, 'second']);
  const { lock_token: token } = await client.receiveOne(name);

  assertSettled(await client.abandon(name, token, { tries: { int32_value: 1 } }));

  const again = await client.receiveOne(name);
  assert.deepEqual(brief([again]), [['first', 1, 1]]);
  const { kept, tries } = again.message.application_properties;
  assert.deepEqual([kept.bool_value, tries.int32_value], [true, 1]);
});

// STL-13
test('release does not count', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();
  await client.send(name, ['x']);

  assertSettled(await client.release(name, (await client.receiveOne(name)).lock_token));

  assert.equal((await client.receiveOne(name)).delivery_count, 0);
});

// STL-12, ERR-4
test('a bad token changes nothing for the others', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();
  await client.send(name, ['0', '1']);
  const [first, second] = (await client.receive(name, 2)).map((message) => message.lock_token);

  const results = await client.complete(name, first, unknownToken, second);

  assert.deepEqual(results.map((result) => result.lock_token), [first, unknownToken, second]);
  assertSettled([results[0], results[2]], 2);
  assertError(results[1].error, ...lockLost);
});

// LCK-7
test('a token is settled from another connection', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();
  await client.send(name, ['x']);
  const { lock_token: token } = await client.receiveOne(name);
  const other = new Client();
  t.after(() => other.close());

  assertSettled(await other.complete(name, token));
});

// LCK-2, LCK-4, LCK-10
test('renewing holds on with the same token', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue({ lock_duration: { seconds: 60 } });
  await client.send(name, ['x']);
  const message = await client.receiveOne(name);
  await client.update(name, { lock_duration: { seconds: 600 } });

  const [known, unknown] = await client.renew(name, message.lock_token, unknownToken);

  assert.deepEqual(known.lock_token, message.lock_token);
  assert.ok(known.locked_until.seconds - message.locked_until.seconds >= 539);
  assertError(unknown.error, ...lockLost);
  assertSettled(await client.complete(name, message.lock_token));
});

// STL-4, DLQ-4, DLQ-5, DLQ-9, DLQ-10, CNT-7, CNT-12, SEQ-7, ADR-5
test('the dead-letter queue is an address of its own', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();
  const dead = `${name}/$DeadLetterQueue`;
  await client.send(name, ['other', 'bad']);
  const [, message] = await client.receive(name, 2);

  assertSettled(await client.deadLetter(name, message.lock_token, { reason: 'NoSuchOrder', description: 'order 7' }));

  const letter = await client.receiveOne(dead);
  assert.deepEqual(brief([letter]), [['bad', 2, 0]]);
  const { DeadLetterReason: reason, DeadLetterErrorDescription: text } = letter.message.application_properties;
  assert.deepEqual([reason.string_value, text.string_value], ['NoSuchOrder', 'order 7']);
  assertSettled(await client.abandon(dead, letter.lock_token));
  const again = await client.receiveOne(dead);
  assert.equal(again.delivery_count, 0);
  assertSettled(await client.complete(dead, again.lock_token));
  assert.deepEqual((await client.peek(dead)).messages, []);
});

// MAX-2, MAX-3, RSN-1
test('what keeps failing comes to rest', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue({ max_delivery_count: 2 });
  await client.send(name, ['x']);

  for (const expected of [0, 1]) {
    const message = await client.receiveOne(name);
    assert.equal(message.delivery_count, expected);
    await client.abandon(name, message.lock_token);
  }

  const { application_properties: properties } = (await client.receiveOne(`${name}/$DeadLetterQueue`)).message;
  assert.equal(properties.DeadLetterReason.string_value, 'MaxDeliveryCountExceeded');
});

// PEEK-1, PEEK-2, PEEK-3, PEEK-4, PEEK-7, STA-3
test('peek looks without touching and goes on where it was', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();
  await client.send(name, ['1', '2', '3', '4', '5']);
  const [done] = await client.receive(name, 2);
  await client.complete(name, done.lock_token);

  const first = await client.peek(name, 0, 3);
  const rest = await client.peek(name, first.next_sequence_number, 3);

  assert.deepEqual(brief(first.messages), [['2', 2, 0], ['3', 3, 0], ['4', 4, 0]]);
  assert.deepEqual(brief(rest.messages), [['5', 5, 0]]);
  for (const message of first.messages) {
    assert.deepEqual([message.state, message.lock_token.length], ['MESSAGE_STATE_ACTIVE', 0]);
  }
  assert.deepEqual((await client.peek(name, 1000)).messages, []);
});

test('a call on nothing fails', async (t) => {
  const { client, newName } = fixture(t);

  const info = await assertFails(client.receive(newName()), status.NOT_FOUND, 'MessagingEntityNotFound');

  assert.equal(info.metadata.is_transient, 'false');
  await assertFails(
    call(client.messaging, 'RenewLock', { entity_path: newName(), lock_tokens: [unknownToken] }),
    status.NOT_FOUND,
    'MessagingEntityNotFound',
  );
});

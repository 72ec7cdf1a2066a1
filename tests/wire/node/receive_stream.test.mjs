// Receiving as a stream: credit, deliveries, settlements on the same stream, drain and stop.

import assert from 'node:assert/strict';
import test from 'node:test';
import { assertError, assertFails, assertSettled, bodies, fixture, status, unknownToken } from './wire.mjs';

const complete = { complete: {} };

test('the start tells the lock duration', async (t) => {
  const { newQueue, newStream } = fixture(t);
  const name = await newQueue({ lock_duration: { seconds: 45 } });

  const started = await newStream(name).expect('started');

  assert.equal(started.lock_duration.seconds, '45');
});

// LNK-2
test('credit is a promise and a limit', async (t) => {
  const { client, newQueue, startedStream } = fixture(t);
  const name = await newQueue();
  await client.send(name, ['0', '1', '2']);
  const stream = await startedStream(name);

  stream.grant(2);
  const first = await stream.deliveries(2);
  stream.drain();
  const { messages: left } = await stream.expect('drained');
  stream.grant(1);

  assert.deepEqual(bodies(first), ['0', '1']);
  assert.equal(left, 0);
  assert.deepEqual(bodies(await stream.deliveries(1)), ['2']);
});

test('a message reaches a stream that waits', async (t) => {
  const { client, newQueue, startedStream } = fixture(t);
  const name = await newQueue();
  const stream = await startedStream(name);
  stream.grant(10);

  for (const body of ['a', 'b']) {
    await client.send(name, [body]);
    assert.deepEqual(bodies(await stream.deliveries(1)), [body]);
  }
});

// STL-1, STL-2, STL-4, STL-13, STL-12, CNT-3, CNT-7, CNT-11
test('settlements travel on the stream', async (t) => {
  const { client, newQueue, startedStream } = fixture(t);
  const name = await newQueue();
  await client.send(name, ['0', '1', '2', '3']);
  const stream = await startedStream(name);
  stream.grant(4);
  const tokens = (await stream.deliveries(4)).map((message) => message.lock_token);

  stream.settle(11, [tokens[0], unknownToken], complete);
  stream.settle(12, [tokens[1]], { abandon: {} });
  stream.settle(13, [tokens[2]], { dead_letter: { reason: 'because' } });
  stream.settle(14, [tokens[3]], { release: {} });
  const outcomes = {};
  while (Object.keys(outcomes).length < 4) {
    const outcome = await stream.expect('settled');
    outcomes[outcome.request_id] = outcome;
  }

  assert.deepEqual(Object.keys(outcomes), ['11', '12', '13', '14']);
  assert.deepEqual(Object.values(outcomes).map((outcome) => outcome.settled), [1, 1, 1, 1]);
  const [failed] = outcomes[11].failures;
  assert.deepEqual(failed.lock_token, unknownToken);
  assertError(failed.error, status.ABORTED, 'MessageLockLost');
  const back = await client.receive(name, 9);
  assert.deepEqual(back.map((m) => [m.message.body.toString(), m.delivery_count]), [['1', 1], ['3', 0]]);
  assert.deepEqual(bodies((await client.peek(`${name}/$DeadLetterQueue`)).messages), ['2']);
});

// LCK-2
test('locks are renewed on the stream', async (t) => {
  const { client, newQueue, startedStream } = fixture(t);
  const name = await newQueue({ lock_duration: { seconds: 60 } });
  await client.send(name, ['x']);
  const stream = await startedStream(name);
  stream.grant(1);
  const [message] = await stream.deliveries(1);
  await client.update(name, { lock_duration: { seconds: 600 } });

  stream.renew(5, [message.lock_token]);
  const outcome = await stream.expect('renewed');

  assert.equal(outcome.request_id, '5');
  assert.ok(outcome.results[0].locked_until.seconds - message.locked_until.seconds >= 539);
});

// LNK-3
test('drain sends what is there and reports the rest', async (t) => {
  const { client, newQueue, startedStream } = fixture(t);
  const name = await newQueue();
  await client.send(name, ['0', '1', '2']);
  const stream = await startedStream(name);

  stream.grant(10);
  stream.drain();

  assert.deepEqual(bodies(await stream.deliveries(3)), ['0', '1', '2']);
  assert.equal((await stream.expect('drained')).messages, 7);
});

test('after stop settlements go on and deliveries do not', async (t) => {
  const { client, newQueue, startedStream } = fixture(t);
  const name = await newQueue();
  await client.send(name, ['0', '1']);
  const stream = await startedStream(name);
  stream.grant(1);
  const [message] = await stream.deliveries(1);

  stream.stop();
  await stream.expect('stopped');
  stream.settle(1, [message.lock_token], complete);
  assert.equal((await stream.expect('settled')).settled, 1);

  assert.deepEqual(bodies(await client.receive(name, 5)), ['1']);
});

// LCK-9, LCK-7
test('messages stay locked when their stream ends', async (t) => {
  const { client, newQueue, startedStream } = fixture(t);
  const name = await newQueue();
  await client.send(name, ['0', '1']);
  const stream = await startedStream(name);
  stream.grant(1);
  const [message] = await stream.deliveries(1);

  stream.writesDone();
  assert.deepEqual(await stream.rest(), []);

  assert.deepEqual(bodies(await client.receive(name, 5)), ['1']);
  assertSettled(await client.complete(name, message.lock_token));
});

// RCV-1
test('receive and delete needs no settlement', async (t) => {
  const { client, newQueue, startedStream } = fixture(t);
  const name = await newQueue();
  await client.send(name, ['0', '1']);
  const stream = await startedStream(name, 'RECEIVE_MODE_RECEIVE_AND_DELETE');

  stream.grant(5);

  assert.deepEqual(bodies(await stream.deliveries(2)), ['0', '1']);
  assert.equal((await client.runtime(name)).total_message_count, '0');
});

// ERR-1
test('a stream on nothing fails', async (t) => {
  const { newName, newStream } = fixture(t);

  await assertFails(newStream(newName()).read(), status.NOT_FOUND, 'MessagingEntityNotFound');
});

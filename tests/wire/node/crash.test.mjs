// What was acknowledged is there after kill -9: messages, locks, settlements, queues.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { assertFails, assertSettled, bodies, Daemon, status } from './wire.mjs';

// A broker of this test's own, with one queue: orders.
async function startedDaemon(t) {
  const data = await mkdtemp(join(tmpdir(), 'wharf-wire-'));
  const daemon = new Daemon(data);
  t.after(async () => {
    await daemon.end();
    await rm(data, { recursive: true });
  });
  await daemon.start();
  await daemon.client.create('orders');
  return daemon;
}

// SND-1
test('acknowledged messages survive', async (t) => {
  const daemon = await startedDaemon(t);
  const sent = [...Array(300).keys()].map(String);
  for (const body of sent.slice(0, 100)) await daemon.client.send('orders', [body]);
  await daemon.client.send('orders', sent.slice(100));

  await daemon.killAndRestart();

  const received = await daemon.client.receiveAll('orders', 300);
  assert.deepEqual(bodies(received), sent);
  assert.deepEqual(received.map((message) => Number(message.sequence_number)), sent.map((body) => Number(body) + 1));
});

// LCK-11, CNT-5
test('a lock survives and its token still settles', async (t) => {
  const daemon = await startedDaemon(t);
  await daemon.client.send('orders', ['0', '1', '2', '3']);
  const tokens = (await daemon.client.receive('orders', 3)).map((message) => message.lock_token);

  await daemon.killAndRestart();

  const { client } = daemon;
  assert.deepEqual(bodies(await client.receive('orders', 10)), ['3']);
  assertSettled(await client.renew('orders', tokens[0]));
  assertSettled(await client.complete('orders', tokens[0]));
  assertSettled(await client.abandon('orders', tokens[1]));
  assertSettled(await client.deadLetter('orders', tokens[2]));
  const [again] = await client.receive('orders', 10);
  assert.deepEqual([again.message.body.toString(), again.delivery_count], ['1', 1]);
});

// STL-1, CNT-3, DLQ-7
test('what was settled stays settled', async (t) => {
  const daemon = await startedDaemon(t);
  await daemon.client.send('orders', ['0', '1', '2']);
  const tokens = (await daemon.client.receive('orders', 3)).map((message) => message.lock_token);
  await daemon.client.complete('orders', tokens[0]);
  await daemon.client.abandon('orders', tokens[1]);
  await daemon.client.deadLetter('orders', tokens[2]);

  await daemon.killAndRestart();

  const { client } = daemon;
  const [again] = await client.receive('orders', 10);
  assert.deepEqual([again.message.body.toString(), again.delivery_count], ['1', 1]);
  assert.deepEqual(bodies(await client.receive('orders/$DeadLetterQueue', 10)), ['2']);
  await assertFails(client.complete('orders', tokens[0]), status.ABORTED, 'MessageLockLost');
});

// EPR-33
test('a deleted queue stays deleted', async (t) => {
  const daemon = await startedDaemon(t);
  await daemon.client.send('orders', ['old']);
  await daemon.client.delete('orders');

  await daemon.killAndRestart();

  await assertFails(daemon.client.get('orders'), status.NOT_FOUND, 'MessagingEntityNotFound');
});

// LCK-11
test('asked to end it ends well and keeps locks', async (t) => {
  const daemon = await startedDaemon(t);
  await daemon.client.send('orders', ['x']);
  const { lock_token: token } = await daemon.client.receiveOne('orders');

  assert.equal(await daemon.end('SIGTERM'), 0);
  await daemon.start();

  assertSettled(await daemon.client.complete('orders', token));
});

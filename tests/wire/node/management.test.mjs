// Queues: create, look at, change, list and delete them.

import assert from 'node:assert/strict';
import test from 'node:test';
import { assertError, assertFails, assertSettled, bodies, call, failure, fixture, status, statusOf } from './wire.mjs';

// EPR-2, EPR-3, EPR-4, EPR-11, EPR-13, MAX-1
test('a new queue has the defaults of Service Bus', async (t) => {
  const { client, newName } = fixture(t);
  const name = newName();

  const queue = await client.create(name);

  assert.equal(queue.name, name);
  assert.equal(queue.lock_duration.seconds, '60');
  assert.equal(queue.max_size_in_megabytes, '1024');
  assert.equal(queue.max_message_size_in_kilobytes, '1024');
  assert.equal(queue.max_delivery_count, 10);
  assert.equal(queue.status, 'ENTITY_STATUS_ACTIVE');
  assert.equal(queue.default_message_time_to_live, null);
  assert.deepEqual(await client.get(name), queue);
});

// EPR-2, EPR-11, EPR-18, EPR-30
test('an update replaces everything', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue({ lock_duration: { seconds: 30 }, max_delivery_count: 3, user_metadata: 'Größe' });
  const before = await client.get(name);

  const after = await client.update(name, { max_delivery_count: 4 });

  assert.deepEqual([before.lock_duration.seconds, before.max_delivery_count, before.user_metadata], ['30', 3, 'Größe']);
  assert.deepEqual([after.lock_duration.seconds, after.max_delivery_count], ['60', 4]);
  assert.ok(!after.user_metadata);
  assert.deepEqual(await client.get(name), after);
});

// EPR-31
test('what is fixed at creation cannot be updated', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();

  const info = assertError(
    statusOf(await failure(client.update(name, { requires_session: true }))),
    status.INVALID_ARGUMENT,
    'ArgumentError',
  );

  assert.equal(info.metadata.entity_path, name);
});

// ADR-10, NAM-1
test('names are compared without case, and a backslash counts as a slash', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();

  assert.equal((await client.get(name.toUpperCase())).name, name);
  assert.equal((await client.get(name.replace('/', '\\'))).name, name);
});

// EPR-34, ERR-2
test('a second queue of the same name is refused', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();

  await assertFails(client.create(name), status.ALREADY_EXISTS, 'MessagingEntityAlreadyExists');
});

// NAM-1, ERR-15
test('bad names are refused', async (t) => {
  const { client } = fixture(t);

  for (const name of ['', '/', '-a', 'a-', 'a//b', 'a?b', 'a b', '$a', 'ü', 'a'.repeat(261)]) {
    await assertFails(client.create(name), status.INVALID_ARGUMENT, 'ArgumentError');
  }
});

// EPR-2, EPR-11, ERR-16
test('values outside their range are refused', async (t) => {
  const { client, newName } = fixture(t);

  for (const properties of [{ lock_duration: { seconds: 4 } }, { max_delivery_count: 0 }, { max_delivery_count: -1 }]) {
    await assertFails(client.create(newName(), properties), status.OUT_OF_RANGE, 'ArgumentOutOfRange');
  }
});

test('listing goes page by page in the order of names', async (t) => {
  const { client, newQueue } = fixture(t);
  const names = [await newQueue(), await newQueue(), await newQueue()];

  const listed = [];
  let token = '';
  do {
    const page = await call(client.management, 'ListQueues', { page_size: 2, page_token: token });
    assert.ok(page.queues.length <= 2);
    assert.deepEqual(
      page.runtime.map((runtime) => runtime.name),
      page.queues.map((queue) => queue.name),
    );
    listed.push(...page.queues.map((queue) => queue.name));
    token = page.next_page_token;
  } while (token);

  const mine = listed.filter((name) => names.includes(name));
  assert.deepEqual(mine, names.sort());
  assert.equal(new Set(listed).size, listed.length);
});

// EPR-33, ERR-1
test('a deleted queue is gone with its messages', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();
  await client.send(name, ['old']);

  await client.delete(name);

  for (const method of ['get', 'delete', 'runtime', 'receive', 'peek']) {
    await assertFails(client[method](name), status.NOT_FOUND, 'MessagingEntityNotFound');
  }
  await client.create(name);
  assert.deepEqual((await client.peek(name)).messages, []);
});

// RTP-1, RTP-2, RTP-6, RTP-11
test('counters are exact', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();
  await client.send(name, ['a', 'b', 'c', 'd']);
  const [first, second] = await client.receive(name, 3);
  await client.complete(name, first.lock_token);
  await client.deadLetter(name, second.lock_token);

  const runtime = await client.runtime(name);

  assert.equal(runtime.active_message_count, '2');
  assert.equal(runtime.locked_message_count, '1');
  assert.equal(runtime.dead_letter_message_count, '1');
  assert.equal(runtime.total_message_count, '3');
});

// STS-2, STS-3, STS-4, STS-6, STS-9
test('status forbids sending or receiving and keeps the messages', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();
  const refused = (promise) => assertFails(promise, status.FAILED_PRECONDITION, 'MessagingEntityDisabled');
  await client.send(name, ['a', 'b']);
  const locked = await client.receiveOne(name);

  await client.update(name, { status: 'ENTITY_STATUS_SEND_DISABLED' });
  await refused(client.send(name, ['x']));
  await client.update(name, { status: 'ENTITY_STATUS_RECEIVE_DISABLED' });
  await refused(client.receive(name));
  await client.send(name, ['c']);
  await client.update(name, { status: 'ENTITY_STATUS_DISABLED' });
  await refused(client.send(name, ['x']));
  await refused(client.receive(name));

  assertSettled(await client.complete(name, locked.lock_token));
  assert.deepEqual(bodies((await client.peek(name)).messages), ['b', 'c']);
});

// Bad input: every refusal says what it is, changes nothing, and the broker goes on.

import assert from 'node:assert/strict';
import test from 'node:test';
import { assertError, assertFails, callWithBytes, failure, fixture, status, unknownToken } from './wire.mjs';

const argumentError = [status.INVALID_ARGUMENT, 'ArgumentError'];

async function assertGoesOn({ client, newQueue }) {
  const [result] = await client.send(await newQueue(), ['still there']);
  assert.equal(result.sequence_number, '1');
}

// ERR-1
test('an unknown entity', async (t) => {
  const { client, newName } = fixture(t);
  const name = newName();

  const info = await assertFails(client.send(name, ['x']), status.NOT_FOUND, 'MessagingEntityNotFound');

  assert.equal(info.metadata.entity_path, name);
});

// SIZ-1, SIZ-8, ERR-8
test('a message over the limit', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue({ max_message_size_in_kilobytes: 1 });

  await assertFails(client.send(name, [Buffer.alloc(2048)]), status.INVALID_ARGUMENT, 'MessageSizeExceeded');
});

// ERR-4
test('an unknown token', async (t) => {
  const { client, newQueue } = fixture(t);

  await assertFails(client.complete(await newQueue(), unknownToken), status.ABORTED, 'MessageLockLost');
});

// STL-11, ERR-15
test('what is no token', async (t) => {
  const { client, newQueue } = fixture(t);

  const [peeked, short] = await client.complete(await newQueue(), Buffer.alloc(0), Buffer.alloc(15, 1));

  assertError(peeked.error, status.FAILED_PRECONDITION, 'InvalidOperation');
  assertError(short.error, ...argumentError);
});

// ERR-16
test('a negative number', async (t) => {
  const { client, newQueue } = fixture(t);

  await assertFails(client.peek(await newQueue(), -1), status.OUT_OF_RANGE, 'ArgumentOutOfRange');
});

// ERR-16
test('properties outside the range of their type', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();

  for (const value of [{ int8_value: 128 }, { int16_value: -32769 }, { uint8_value: 256 }, { uint16_value: 65536 }]) {
    const sent = client.send(name, [{ application_properties: { n: value } }]);
    await assertFails(sent, status.OUT_OF_RANGE, 'ArgumentOutOfRange');
  }
});

// ERR-15
test('bytes that are no request', async (t) => {
  const all = fixture(t);
  const methods = ['Messaging/Send', 'Messaging/Receive', 'Messaging/Settle', 'Messaging/Peek', 'Management/CreateQueue'];

  for (const method of methods) {
    for (const bytes of [Buffer.from('0affffffff0f', 'hex'), Buffer.from('ff', 'hex'), Buffer.from('0a0541', 'hex')]) {
      await assertFails(callWithBytes(all.client, method, bytes), ...argumentError);
    }
  }
  await assertGoesOn(all);
});

test('a method that does not exist', async (t) => {
  const all = fixture(t);

  const error = await failure(callWithBytes(all.client, 'Messaging/Teleport', Buffer.alloc(0)));

  assert.equal(error.code, status.UNIMPLEMENTED);
  await assertGoesOn(all);
});

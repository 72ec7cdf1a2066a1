// Sending: unary, atomic, in parts, and as a stream; what a message carries arrives as it was sent.

import assert from 'node:assert/strict';
import test from 'node:test';
import { assertError, assertFails, bodies, fixture, status, Stream } from './wire.mjs';

const tooLarge = { body: Buffer.alloc(2048) };

// One value of every type that an application property may have (USR-2), its edges where it has some.
const everyType = {
  nothing: {},
  bool: { bool_value: true },
  int8: { int8_value: -128 },
  int16: { int16_value: -32768 },
  int32: { int32_value: -(2 ** 31) },
  int64: { int64_value: '-9223372036854775808' },
  uint8: { uint8_value: 255 },
  uint16: { uint16_value: 65535 },
  uint32: { uint32_value: 2 ** 32 - 1 },
  uint64: { uint64_value: '18446744073709551615' },
  float: { float_value: 1.5 },
  double: { double_value: -2.5e300 },
  decimal: { decimal_value: '12.50' },
  char: { char_value: 0x1f6a2 },
  string: { string_value: 'Grüße, 船' },
  'empty string': { string_value: '' },
  uuid: { uuid_value: Buffer.from([...Array(16).keys()]) },
  timestamp: { timestamp_value: { seconds: '1700000000', nanos: 123456700 } },
  timespan: { timespan_value: { seconds: '-90', nanos: -500000000 } },
  uri: { uri_value: 'https://example.org/a?b=c' },
  'datetime offset': { datetime_offset_value: { seconds: '-62000000000', nanos: 0 } },
};

// A value as it is read back: the loader names the kind that is set.
function asRead(value) {
  const [kind] = Object.keys(value);
  return kind ? { ...value, kind } : {};
}

// SEQ-1, SEQ-2, SEQ-5, SIZ-8, ERR-8
test('each message of a list stands for itself, and a refused one takes no number', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue({ max_message_size_in_kilobytes: 1 });

  const results = await client.send(name, ['good', tooLarge, 'good too']);

  assert.deepEqual(results.map((result) => result.outcome), ['sequence_number', 'error', 'sequence_number']);
  assert.deepEqual([results[0].sequence_number, results[2].sequence_number], ['1', '2']);
  assertError(results[1].error, status.INVALID_ARGUMENT, 'MessageSizeExceeded');
  assert.deepEqual(bodies((await client.peek(name)).messages), ['good', 'good too']);
});

// SND-5
test('an atomic list is stored whole or not at all', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue({ max_message_size_in_kilobytes: 1 });

  const refused = client.send(name, ['good', tooLarge], { atomic: true });
  await assertFails(refused, status.INVALID_ARGUMENT, 'MessageSizeExceeded');
  const results = await client.send(name, ['a', 'b', 'c'], { atomic: true });

  assert.deepEqual(results.map((result) => result.sequence_number), ['1', '2', '3']);
});

// SND-4
test('a stream answers in order while much is under way', async (t) => {
  const { client, newQueue } = fixture(t);
  const [name, other] = [await newQueue(), await newQueue()];
  const stream = new Stream(client.messaging, 'SendStream');

  for (let i = 0; i < 500; ++i) {
    const send = { entity_path: i % 5 ? name : other, messages: [{ body: Buffer.from(`${i}`) }] };
    stream.write({ request_id: i, send });
  }
  stream.writesDone();
  const answers = await stream.rest();

  assert.deepEqual(answers.map((answer) => Number(answer.request_id)), [...Array(500).keys()]);
  const receipts = answers.filter((_, i) => i % 5).map((answer) => Number(answer.results[0].sequence_number));
  assert.deepEqual(receipts, [...Array(400).keys()].map((i) => i + 1));
  const sent = [...Array(500).keys()].filter((i) => i % 5).slice(0, 250);
  assert.deepEqual(bodies((await client.peek(name)).messages), sent.map(String));
});

test('a refused request does not end its stream', async (t) => {
  const { client, newName, newQueue } = fixture(t);
  const name = await newQueue();
  const stream = new Stream(client.messaging, 'SendStream');

  for (const path of [name, newName(), name]) stream.write({ send: { entity_path: path, messages: [{}] } });
  stream.writesDone();
  const results = (await stream.rest()).map((answer) => answer.results[0]);

  assert.deepEqual([results[0].sequence_number, results[2].sequence_number], ['1', '2']);
  assertError(results[1].error, status.NOT_FOUND, 'MessagingEntityNotFound');
});

// USR-2, USR-3
test('every type of property comes back as it was', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();

  await client.send(name, [{ application_properties: everyType }]);

  const { application_properties: received } = (await client.receiveOne(name)).message;
  for (const [key, value] of Object.entries(everyType)) assert.deepEqual(received[key], asRead(value), key);
  assert.equal(Object.keys(received).length, Object.keys(everyType).length);
});

// PRP-1 to PRP-10, PRP-26, PRP-27, PRP-29, SND-9
test('every part of a message comes back as it was', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();
  const sent = {
    body: Buffer.from([...Array(256).keys()]),
    message_id: 'id-1',
    correlation_id: 'request-9',
    content_type: 'application/json',
    subject: 'order',
    to: 'somewhere',
    reply_to: 'answers',
    reply_to_session_id: 's-2',
    session_id: 's-1',
    partition_key: 's-1',
    via_partition_key: 'via',
    content_encoding: 'gzip',
    user_id: Buffer.from('user'),
    creation_time: { seconds: '1700000000', nanos: 0 },
    group_sequence: 7,
    priority: 9,
    durable: true,
    first_acquirer: false,
  };

  const annotations = { 'x-own': { string_value: 'kept' } };
  await client.send(name, [{ ...sent, annotations, footer: { sum: { uint64_value: 1 } } }]);

  const { message } = await client.receiveOne(name);
  for (const [key, value] of Object.entries(sent)) assert.deepEqual(message[key], value, key);
  assert.equal(message.annotations['x-own'].string_value, 'kept');
  assert.equal(message.footer.sum.uint64_value, '1');
});

// SND-7, DLQ-2
test('a dead-letter queue cannot be sent to', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();

  const refused = client.send(`${name}/$DeadLetterQueue`, ['x']);

  await assertFails(refused, status.FAILED_PRECONDITION, 'InvalidOperation');
});

// SIZ-6, TTL-18
test('bad properties are refused', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();

  for (const message of [{ message_id: 'x'.repeat(129) }, { time_to_live: { seconds: 0 } }]) {
    await assertFails(client.send(name, [message]), status.INVALID_ARGUMENT, 'ArgumentError');
  }
  await client.send(name, [{ message_id: 'ü'.repeat(128) }]);
});

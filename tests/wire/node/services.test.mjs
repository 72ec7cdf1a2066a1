// What generic tools ask a server: is it well, and what does it offer. And the examples that users copy.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { call, fixture, Stream } from './wire.mjs';

test('health says serving', async (t) => {
  const { client } = fixture(t);

  assert.equal((await call(client.health, 'Check', {})).status, 'SERVING');
});

test('reflection lists the services', async (t) => {
  const { client } = fixture(t);
  const stream = new Stream(client.reflection, 'ServerReflectionInfo');

  stream.write({ list_services: '' });
  const { list_services_response: list } = await stream.read();
  stream.writesDone();

  const names = list.service.map((service) => service.name);
  for (const service of ['Messaging', 'Sessions', 'Management', 'Topics', 'Clock']) {
    assert.ok(names.includes(`wharf.v1.${service}`), service);
  }
  assert.ok(names.includes('grpc.health.v1.Health'));
});

// What it prints.
async function runExample(name) {
  const example = fileURLToPath(new URL(name, import.meta.url));
  return (await promisify(execFile)(process.execPath, [example])).stdout;
}

test('ten lines send, receive and complete', async (t) => {
  const { client } = fixture(t);
  await client.create('orders');

  try {
    assert.equal(await runExample('ten_lines.mjs'), '1 one coffee\n');
    assert.equal((await client.runtime('orders')).total_message_count, '0');
  } finally {
    await client.delete('orders');
  }
});

test('request and reply', async () => {
  assert.deepEqual((await runExample('request_reply.mjs')).trimEnd().split('\n'), [
    'simple: ONE COFFEE',
    'multiplexing: till-1 one coffee',
    'multiplexing: till-2 one coffee',
    'multiplexing: till-1 two teas',
    'multiplexing: till-2 two teas',
    'multiplexing: till-1 three cakes',
    'multiplexing: till-2 three cakes',
    'multiplexed: TILL-1 COFFEE, TILL-1 TEA',
    'multiplexed: TILL-2 COFFEE, TILL-2 TEA',
    'multiplexed: TILL-3 COFFEE, TILL-3 TEA',
  ]);
});

test('one request and many replies', async () => {
  assert.deepEqual((await runExample('multicast.mjs')).trimEnd().split('\n'), [
    'bakery asks 3 for cake',
    'cafe asks 4 for cake',
    'cafe asks 4 for coffee',
    'kiosk asks 2 for coffee',
  ]);
});

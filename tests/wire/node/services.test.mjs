// What generic tools ask a server: is it well, and what does it offer. And the example that users copy.

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
  for (const name of ['wharf.v1.Messaging', 'wharf.v1.Management', 'wharf.v1.Clock', 'grpc.health.v1.Health']) {
    assert.ok(names.includes(name), name);
  }
});

test('ten lines send, receive and complete', async (t) => {
  const { client } = fixture(t);
  await client.create('orders');
  const example = fileURLToPath(new URL('ten_lines.mjs', import.meta.url));

  try {
    const { stdout } = await promisify(execFile)(process.execPath, [example]);

    assert.equal(stdout, '1 one coffee\n');
    assert.equal((await client.runtime('orders')).total_message_count, '0');
  } finally {
    await client.delete('orders');
  }
});

// amqp10_story: a client of AMQP 1.0 that shares no code with the others sends and receives.
//
//   node amqp10_story.mjs PORT | amqps://NAME:KEY@host:port      0 if all went as it should
import assert from 'node:assert';
import amqp10 from 'amqp10';

const place = process.argv[2];
const policy = amqp10.Policy.merge({
  reconnect: { retries: 0, forever: false }, connect: { sslOptions: { rejectUnauthorized: true } },
}, amqp10.Policy.Default);
const client = new amqp10.Client(policy);
if (place.startsWith('amqps:')) await client.connect(place);
else await client.connect(`amqp://127.0.0.1:${place}`, { saslMechanism: 'ANONYMOUS' });
console.log('open');

// It never opens its own outgoing window again: behind a hundred transfers of a session it writes -1 as a uint.
const bodies = Array.from({ length: 40 }, (_, i) => ({ number: i })).concat([{ large: 'x'.repeat(100_000) }]);
const sender = await client.createSender('amqp10');
await Promise.all(bodies.map((body) => sender.send(body)));
console.log('sent');

const receiver = await client.createReceiver('amqp10');
const received = [];
await new Promise((resolve) => {
  receiver.on('message', ({ body }) => {
    received.push(body);
    if (received.length === bodies.length) resolve();
  });
});
assert.deepStrictEqual(received, bodies);
console.log('received');

await client.disconnect();
console.log('closed');

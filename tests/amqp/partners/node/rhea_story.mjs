// rhea_story: what Azure's JavaScript SDK does on the wire, by rhea, which it is built on.
//
//   node rhea_story.mjs PORT      0 if all went as it should
import assert from 'node:assert';
import { once } from 'node:events';
import rhea from 'rhea';

const port = Number(process.argv[2]);
const container = rhea.create_container();
// A name makes rhea speak SASL; of what is offered it takes ANONYMOUS.
const connection = container.connect({ host: '127.0.0.1', port, username: 'someone', reconnect: false, idle_time_out: 1000 });
await once(connection, 'connection_open');
console.log('open');

// As many `name` events of `emitter` as are wanted, with what each gave.
const several = (emitter, name, wanted) => new Promise((resolve) => {
  const found = [];
  emitter.on(name, function take(context) {
    found.push(context);
    if (found.length < wanted) return;
    emitter.removeListener(name, take);
    resolve(found);
  });
});

const bodies = Array.from({ length: 100 }, (_, i) => `message ${i}`).concat('x'.repeat(200_000));
const sender = connection.open_sender('rhea');
await once(sender, 'sendable');
const accepted = several(sender, 'accepted', bodies.length);
for (const [i, body] of bodies.entries()) sender.send({ message_id: i, body });
await accepted;
console.log('sent');

// Peek-lock, as the SDK asks for it: the disposition is not settled, and its answer settles it.
const receiver = connection.create_session();
receiver.open();
const link = receiver.open_receiver({
  source: { address: 'rhea' }, name: 'peek-lock', snd_settle_mode: 0, rcv_settle_mode: 1,
  autoaccept: false, autosettle: false, credit_window: 0,
});
await once(link, 'receiver_open');
const batch = several(link, 'message', 10);
link.add_credit(10);
const first = await batch;
assert.deepStrictEqual(first.map(({ message }) => message.body), bodies.slice(0, 10));
assert.strictEqual(first[3].message.message_id, 3);
const settled = several(link, 'settled', 10);
for (const { delivery } of first) delivery.accept();
await settled;
console.log('settled in two phases');

// Released: it comes again.
const given = once(link, 'message');
link.add_credit(1);
const [{ message: released, delivery }] = await given;
assert.strictEqual(released.body, 'message 10');
const isAnswered = once(link, 'settled');
delivery.release();
await isAnswered;
const again = once(link, 'message');
link.add_credit(1);
const [{ message: same, delivery: second }] = await again;
assert.strictEqual(same.body, 'message 10');
const isSettled = once(link, 'settled');
second.accept();
await isSettled;
console.log('released');

// More credit than there are messages, and a drain.
const rest = several(link, 'message', bodies.length - 11);
const drained = once(link, 'receiver_drained');
link.add_credit(500);
const others = await rest;
assert.deepStrictEqual(others.map(({ message }) => message.body), bodies.slice(11));
const all = several(link, 'settled', others.length);
for (const { delivery: each } of others) each.accept();
await all;
link.drain_credit();
await drained;
console.log('drained');

link.close();
await once(link, 'receiver_close');
receiver.close();
await once(receiver, 'session_close');

const refused = connection.open_receiver('nowhere');
await once(refused, 'receiver_error');
assert.strictEqual(refused.error.condition, 'amqp:not-found');
console.log('refused');

connection.close();
await once(connection, 'connection_close');
console.log('closed');

// broker_story: raw links of rhea to a whole broker.
//
//   node broker_story.mjs PLACE      0 if all went as it should; a place of rhea_connection.mjs
import assert from 'node:assert';
import { once } from 'node:events';
import rhea from 'rhea';
import { optionsFor } from './rhea_connection.mjs';

const container = rhea.create_container();
const connection = container.connect({
  ...optionsFor(process.argv[2]), reconnect: false,
});
await once(connection, 'connection_open');

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

const bodies = Array.from({ length: 500 }, (_, i) => `message ${i}`);
const sender = connection.open_sender('q');
await once(sender, 'sendable');
const accepted = several(sender, 'accepted', bodies.length);
for (const [i, body] of bodies.entries()) sender.send({ message_id: `m${i}`, body });
await accepted;
console.log('sent');

const link = connection.open_receiver({
  source: { address: 'q' }, snd_settle_mode: 0, rcv_settle_mode: 1, autoaccept: false, autosettle: false,
  credit_window: 0,
});
await once(link, 'receiver_open');
const batch = several(link, 'message', 400);
link.add_credit(400);
const first = await batch;
assert.deepStrictEqual(first.map(({ message }) => message.body), bodies.slice(0, 400));
const settled = several(link, 'settled', 400);
for (const { delivery } of first) delivery.accept();
await settled;
console.log('completed');

const given = once(link, 'message');
link.add_credit(1);
const [{ message, delivery }] = await given;
const isReleased = once(link, 'settled');
delivery.release({ delivery_failed: true });
await isReleased;
const again = once(link, 'message');
link.add_credit(1);
const [{ message: same, delivery: second }] = await again;
assert.strictEqual(same.body, message.body);
assert.strictEqual(same.delivery_count, 1);
const isSettled = once(link, 'settled');
second.accept();
await isSettled;
console.log('released');

const rest = several(link, 'message', 99);
link.add_credit(1000);
const others = await rest;
const drained = once(link, 'receiver_drained');
link.drain_credit();
await drained;
assert.strictEqual(link.credit, 0);
const all = several(link, 'settled', others.length);
for (const { delivery: each } of others) each.accept();
await all;
console.log('drained');

const { types } = rhea;
const typed = {
  message_id: types.wrap_ulong(7),
  correlation_id: types.wrap_uuid(Buffer.from('0123456789abcdef')),
  message_annotations: { note: types.wrap_list([1, 'two']) },
  application_properties: { symbol: types.wrap_symbol('s'), byte: types.wrap_byte(-3), map: types.wrap_map({ a: 1 }) },
  footer: { crc: types.wrap_ubyte(7) },
  body: rhea.message.data_sections([Buffer.from('one'), Buffer.from('two')]),
};
const isAccepted = once(sender, 'accepted');
sender.send(typed);
await isAccepted;
const back = once(link, 'message');
link.add_credit(1);
const [{ message: kept, delivery: last }] = await back;
assert.strictEqual(kept.message_id, 7);
assert.deepStrictEqual(Buffer.from(kept.correlation_id).toString(), '0123456789abcdef');
assert.deepStrictEqual(kept.message_annotations.note, [1, 'two']);
assert.deepStrictEqual({ ...kept.application_properties }, { symbol: 's', byte: -3, map: { a: 1 } });
assert.deepStrictEqual({ ...kept.footer }, { crc: 7 });
assert.deepStrictEqual(kept.body.content.map(String), ['one', 'two']);
const isDone = once(link, 'settled');
last.accept();
await isDone;
console.log('kept what AMQP says');

connection.close();
await once(connection, 'connection_close');
console.log('closed');

// jms_story: what qpid-jms says, by rhea, to wharfd that serves JMS: there are the queue `q` and the topic `t`.
//
//   node jms_story.mjs PORT NAME KEY       0 if all went as it should
import assert from 'node:assert';
import { once } from 'node:events';
import rhea from 'rhea';

const [port, username, password] = process.argv.slice(2);
const DESIRED = ['sole-connection-for-container', 'DELAYED_DELIVERY', 'ANONYMOUS-RELAY', 'SHARED-SUBS'];
const container = rhea.create_container();
container.on('error', () => {});

const connect = async (clientId) => {
  const connection = container.connect({
    host: '127.0.0.1', port: Number(port), username, password, reconnect: false, container_id: clientId,
    desired_capabilities: DESIRED,
  });
  await once(connection, 'connection_open');
  return connection;
};
const disconnect = async (connection) => {
  const closed = once(connection, 'connection_close');
  connection.close();
  await closed;
};
const several = (emitter, name, wanted) => new Promise((resolve) => {
  const found = [];
  emitter.on(name, function take(context) {
    found.push(context);
    if (found.length < wanted) return;
    emitter.removeListener(name, take);
    resolve(found);
  });
});
const consumer = (address, capabilities, more = {}) => ({
  source: {
    address, capabilities, durable: 0, expiry_policy: 'link-detach',
    outcomes: ['amqp:accepted:list', 'amqp:rejected:list', 'amqp:released:list', 'amqp:modified:list'],
    ...more.source,
  },
  target: {}, snd_settle_mode: 0, rcv_settle_mode: 0, autoaccept: false, credit_window: 0, ...more.link,
});
const durable = (name, capabilities = ['topic'], more = {}) => consumer('t', capabilities, {
  source: { durable: 2, expiry_policy: 'never', distribution_mode: 'copy', ...more }, link: { name },
});
// The link, once it is there; or the condition that it was refused with.
const receiverOf = async (connection, options) => {
  const link = connection.open_receiver(options);
  // A refusal is an attach with nothing at the far end, and a detach behind it.
  const refused = once(link, 'receiver_error').then(() => link.error.condition);
  const opened = once(link, 'receiver_open').then(() => (link.source?.address ? link : refused));
  return Promise.race([opened, refused]);
};
const senderOf = async (connection, options) => {
  const link = connection.open_sender(options);
  await once(link, 'sendable');
  return link;
};
const send = async (link, message) => {
  const told = Promise.race([
    once(link, 'accepted').then(() => 'accepted'),
    once(link, 'rejected').then(([{ delivery }]) => delivery.remote_state.error.condition)]);
  link.send(message);
  return told;
};
const take = async (link, count) => {
  const came = several(link, 'message', count);
  link.add_credit(count);
  return came;
};
const detach = async (link, how) => {
  const gone = once(link, 'receiver_close');
  link[how]();
  await gone;
};

// --- the connection, and a producer without a destination
const shop = await connect('shop');
assert.deepStrictEqual([].concat(shop.remote.open.offered_capabilities).map(String).sort(), [...DESIRED].sort());
const second = container.connect({
  host: '127.0.0.1', port: Number(port), username, password, reconnect: false, container_id: 'shop',
  desired_capabilities: DESIRED,
});
const [{ connection: refusedConnection }] = await once(second, 'connection_error');
assert.strictEqual(refusedConnection.error.condition, 'amqp:invalid-field');
assert.strictEqual(refusedConnection.remote.open.properties['amqp:connection-establishment-failed'], true);
console.log('one client id');

const anywhere = await senderOf(shop, { target: {} });
assert.strictEqual(await send(anywhere, { to: 'q', message_id: rhea.generate_uuid(), body: 'by to' }), 'accepted');
assert.strictEqual(await send(anywhere, { to: 'nowhere', body: 'lost' }), 'amqp:not-found');
console.log('anonymous');

// --- a queue: ids keep their type, a recover counts, a browser sees what waits and takes nothing
const queue = await receiverOf(shop, consumer('q', ['queue']));
const [{ message: first, delivery }] = await take(queue, 1);
assert.strictEqual(first.body, 'by to');
assert.strictEqual(first.to, 'q');
delivery.update(true, rhea.message.modified({ delivery_failed: true }).described());
const [{ message: again, delivery: held }] = await take(queue, 1);
assert.strictEqual(again.delivery_count, 1);
held.update(true, rhea.message.accepted().described());
const toQueue = await senderOf(shop, 'q');
for (const body of ['one', 'two']) assert.strictEqual(await send(toQueue, { message_id: 7, body }), 'accepted');
// In a session of its own: rhea keeps what came settled for as long as that is there.
const looking = shop.create_session();
looking.begin();
const browser = await receiverOf(looking, consumer('q', ['queue'], {
  source: { distribution_mode: 'copy' }, link: { snd_settle_mode: 1, name: 'browser' } }));
const seen = [];
browser.on('message', ({ message }) => seen.push(message));
const drained = once(browser, 'receiver_drained');
browser.add_credit(100);
browser.drain_credit();
await drained;
assert.deepStrictEqual(seen.map(({ body, message_id: id }) => [body, id]), [['one', 7], ['two', 7]]);
for (const { delivery: each } of await take(queue, 2)) each.update(true, rhea.message.accepted().described());
assert.strictEqual(await receiverOf(shop, consumer('q', ['queue'], {
  source: { filter: rhea.filter.selector('a = 1') }, link: { name: 'choosy' } })), 'amqp:not-implemented');
console.log('queue');

// --- a delivery delay
const late = Date.now() + 700;
assert.strictEqual(await send(toQueue, { message_annotations: { 'x-opt-delivery-time': rhea.types.wrap_long(late) },
  body: 'late' }), 'accepted');
const [{ delivery: came }] = await take(queue, 1);
assert.ok(Date.now() >= late);
came.update(true, rhea.message.accepted().described());
console.log('delayed');

// --- a durable subscription with a selector collects while nobody is there
const toTopic = await senderOf(shop, 't');
let prices = await receiverOf(shop, durable('prices', ['topic'], { filter: rhea.filter.selector('price BETWEEN 5 AND 9') }));
await detach(prices, 'detach');
for (const price of [3, 7]) {
  await send(toTopic, { application_properties: { price: rhea.types.wrap_int(price) }, body: `for ${price}` });
}
prices = await receiverOf(shop, durable('prices', ['topic'], { filter: rhea.filter.selector('price BETWEEN 5 AND 9') }));
const [{ message: missed, delivery: kept }] = await take(prices, 1);
assert.strictEqual(missed.body, 'for 7');
kept.update(true, rhea.message.accepted().described());
assert.strictEqual(await receiverOf(shop, durable('broken', ['topic'], { filter: rhea.filter.selector('price >') })),
  'com.microsoft:argument-error');
console.log('durable');

// --- unsubscribed by its name alone, when nobody consumes; the second time there is none
const unsubscribe = async (name) => {
  const link = shop.open_receiver({ name, desired_capabilities: ['shared'], target: {} });
  const refused = once(link, 'receiver_error').then(() => link.error.condition);
  const opened = once(link, 'receiver_open').then(() => (link.source?.address ? 'there' : refused));
  const told = await Promise.race([opened, refused]);
  if (told === 'there') await detach(link, 'close');
  return told;
};
assert.strictEqual(await unsubscribe('prices|0'), 'amqp:not-allowed');
await detach(prices, 'detach');
assert.strictEqual(await unsubscribe('prices|1'), 'there');
assert.strictEqual(await unsubscribe('prices|2'), 'amqp:not-found');
console.log('unsubscribed');

// --- shared by a hundred, evenly; an unshared consumer of a topic has all
const NEWS = 5000;
const till = await connect('till');
const board = await Promise.all([shop, till].flatMap((connection) => Array.from({ length: 50 }, (_, i) => receiverOf(
  connection, durable(`board|global|${i}`, ['topic', 'shared', 'global'])))));
const counts = board.map(() => 0);
board.forEach((link, i) => {
  link.on('message', ({ delivery: each }) => {
    counts[i] += 1;
    each.update(true, rhea.message.accepted().described());
  });
  link.add_credit(1000);
});
// By itself, or those that share its connection would have less than the others.
const office = await connect('office');
const alone = await receiverOf(office, consumer('t', ['topic']));
const everything = several(alone, 'message', NEWS);
alone.on('message', ({ delivery: each }) => each.update(true, rhea.message.accepted().described()));
alone.add_credit(NEWS);
const published = several(toTopic, 'accepted', NEWS);
for (let i = 0; i < NEWS; i += 1) {
  if (!toTopic.sendable()) await once(toTopic, 'sendable');
  toTopic.send({ body: `news ${i}` });
}
await published;
await everything;
while (counts.reduce((sum, count) => sum + count) < NEWS) await new Promise((resolve) => { setImmediate(resolve); });
// Of fifty each: without turns a few have all, and of turns of sixteen some have five where others have one.
assert.ok(Math.min(...counts) >= NEWS / 200 && Math.max(...counts) <= NEWS / 66, `shared as ${counts}`);
console.log('shared evenly');

// --- a temporary queue is where answers go, and goes with its connection
const creator = shop.open_sender({ target: { dynamic: true, capabilities: ['temporary-queue'],
  dynamic_node_properties: { 'lifetime-policy': rhea.types.wrap_described([], 0x2b) } } });
await once(creator, 'sender_open');
const replyTo = creator.target.address;
const replies = await receiverOf(shop, consumer(replyTo, ['temporary-queue']));
const answerer = await senderOf(till, { target: {} });
assert.strictEqual(await send(answerer, { to: replyTo, body: 'answer' }), 'accepted');
const [{ message: answer }] = await take(replies, 1);
assert.strictEqual(answer.body, 'answer');
await disconnect(shop);
assert.strictEqual(await send(answerer, { to: replyTo, body: 'too late' }), 'amqp:not-found');
console.log('temporary');
await disconnect(till);
await disconnect(office);

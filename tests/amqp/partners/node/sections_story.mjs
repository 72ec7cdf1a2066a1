// sections_story: bodies of several sections, over 1 MiB, by rhea.
//
//   node sections_story.mjs PLACE      0 if all went as it should; a place of rhea_connection.mjs
import assert from 'node:assert';
import { once } from 'node:events';
import rhea from 'rhea';
import { optionsFor } from './rhea_connection.mjs';

const connection = rhea.create_container().connect({ ...optionsFor(process.argv[2]), reconnect: false });
await once(connection, 'connection_open');
const sender = connection.open_sender('large');
await once(sender, 'sendable');
const receiver = connection.open_receiver({ source: { address: 'large' }, autoaccept: false, credit_window: 0 });
await once(receiver, 'receiver_open');

const mebibytes = Array.from({ length: 3 }, (_, i) => Buffer.alloc(1 << 20, `section ${i} `));
const lists = Array.from({ length: 4 }, (_, i) => [i, 'x'.repeat(500_000)]);
for (const [name, body] of [
  ['data', rhea.message.data_sections(mebibytes)],
  ['sequences', rhea.message.sequence_sections(lists)],
]) {
  const accepted = once(sender, 'accepted');
  sender.send({ message_id: name, body });
  await accepted;
  const given = once(receiver, 'message');
  receiver.add_credit(1);
  const [{ message, delivery }] = await given;
  assert.strictEqual(message.message_id, name);
  assert.deepStrictEqual(message.body.content, body.content);
  assert.strictEqual(message.body.multiple, true);
  delivery.accept();
  console.log(name);
}
connection.close();
await once(connection, 'connection_close');

// sdk_purge_story: what the next version of Azure's JavaScript SDK (AZURE_SERVICE_BUS) deletes of the queue `q` where there
// is nothing, and where as many are as it asks for at a time, so that it asks once more.
//
//   node sdk_purge_story.mjs CONNECTION_STRING      0 if all went as it should
import assert from 'node:assert';
import { clientOf } from './service_bus.mjs';

const client = clientOf(process.argv[2]);
const receiver = client.createReceiver('q');
const beforeEnqueueTime = new Date(Date.now() + 3_600_000);
assert.strictEqual(await receiver.deleteMessages({ maxMessageCount: 5 }), 0);
assert.strictEqual(await receiver.purgeMessages({ beforeEnqueueTime }), 0);
console.log('deleted nothing');

await client.createSender('q').sendMessages(Array.from({ length: 500 }, (_, i) => ({ body: i })));
assert.strictEqual(await receiver.purgeMessages({ beforeEnqueueTime }), 500);
console.log('purged as many as it asks for');
await client.close();

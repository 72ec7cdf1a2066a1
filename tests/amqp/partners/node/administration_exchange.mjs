// administration_exchange: reads and gives back what another client wrote, and writes what it will read.
//
//   node administration_exchange.mjs CONNECTION_STRING      0 if all went as it should
import assert from 'node:assert';
import { ServiceBusAdministrationClient } from './service_bus.mjs';

const admin = new ServiceBusAdministrationClient(process.argv[2]);

const queue = await admin.getQueue('From/Python');
assert.strictEqual(queue.name, 'From/Python');
assert.strictEqual(queue.lockDuration, 'PT31S');
assert.strictEqual(queue.maxDeliveryCount, 6);
assert.strictEqual(queue.userMetadata, 'p & j');
assert.strictEqual(queue.defaultMessageTimeToLive, 'P2D');
assert.match(queue.forwardDeadLetteredMessagesTo, /\/Target$/);
const rule = await admin.getRule('T', 'S', 'python');
assert.deepStrictEqual(rule.filter.applicationProperties, { int: 1, double: 2.5, boolean: true, string: 'x' });
console.log('read');

await admin.updateQueue(queue);
await admin.updateRule('T', 'S', rule);
console.log('given back');

await admin.createQueue('From/JavaScript', { lockDuration: 'PT42S', requiresSession: true });
const filter = { sqlExpression: 'a = @a', sqlParameters: { '@a': 5 } };
await admin.createRule('T', 'S', 'javascript', filter, { sqlExpression: 'SET b = 1' });
console.log('written');

import { ServiceBusClient } from '@azure/service-bus';

const client = new ServiceBusClient(
  'Endpoint=sb://127.0.0.1:5672;SharedAccessKeyName=any;SharedAccessKey=any;UseDevelopmentEmulator=true',
);
await client.createSender('orders').sendMessages({ body: 'one coffee' });
const receiver = client.createReceiver('orders');
const [order] = await receiver.receiveMessages(1);
console.log(order.body);
await receiver.completeMessage(order);
await client.close();

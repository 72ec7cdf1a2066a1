// service_bus: the clients of Azure's SDK that a story works with: those of the package that AZURE_SERVICE_BUS names,
// else of the newest that is released; over a WebSocket if AMQP_OVER=websocket says so, and nothing else changed.
import WebSocket from 'ws';

export const packageName = process.env.AZURE_SERVICE_BUS ?? '@azure/service-bus';
const { ServiceBusClient, ServiceBusAdministrationClient } = await import(packageName);
const over = process.env.AMQP_OVER === 'websocket' ? { webSocketOptions: { webSocket: WebSocket } } : {};

export const clientOf = (connectionString, options) => new ServiceBusClient(connectionString, { ...options, ...over });
export { ServiceBusAdministrationClient };

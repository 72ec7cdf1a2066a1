// service_bus: the client of Azure's SDK that a story works with; over a WebSocket if AMQP_OVER=websocket says so, and
// nothing else changed.
import { ServiceBusClient } from '@azure/service-bus';
import WebSocket from 'ws';

const over = process.env.AMQP_OVER === 'websocket' ? { webSocketOptions: { webSocket: WebSocket } } : {};

export const clientOf = (connectionString, options) => new ServiceBusClient(connectionString, { ...options, ...over });

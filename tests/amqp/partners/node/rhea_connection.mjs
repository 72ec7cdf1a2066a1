// rhea_connection: where a story of rhea connects to: a port, or the address of a WebSocket, "ws://host:port/path".
import rhea from 'rhea';
import WebSocket from 'ws';

export const optionsFor = (place) => (place.startsWith('ws')
  ? { connection_details: rhea.websocket_connect(WebSocket)(place, ['amqp'], {}) }
  : { host: '127.0.0.1', port: Number(place) });

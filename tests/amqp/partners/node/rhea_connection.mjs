// rhea_connection: where a story of rhea connects to: a port; amqps://NAME:KEY@host:port, which Node must believe; or the
// address of a WebSocket, "ws://host:port/path".
import rhea from 'rhea';
import WebSocket from 'ws';

const overTls = ({ hostname, port, username, password }) => ({
  transport: 'tls',
  host: hostname,
  port: Number(port),
  username: decodeURIComponent(username),
  password: decodeURIComponent(password),
});

export const optionsFor = (place) => {
  if (place.startsWith('amqps:')) return overTls(new URL(place));
  const someone = { username: 'someone' };
  if (!place.startsWith('ws')) return { ...someone, host: '127.0.0.1', port: Number(place) };
  return { ...someone, connection_details: rhea.websocket_connect(WebSocket)(place, ['amqp'], {}) };
};

import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { ProcessHealth } from '../lifecycle/process-health.js';

/** Interval between checks for idle connections while the HTTP server closes, in milliseconds. */
const IDLE_CONNECTION_CHECK_MS = 50;

/**
 * Closes idle connections while the HTTP server closes, so that the server ends as soon as the running requests are
 * completed. Node would wait for three kinds of idle connections. The first got its last response during the closing
 * and stays open for the keep-alive time; the second was opened in advance and never used. The third got a response
 * before the request body had arrived, such as a rejected upload.
 */
export function closeUnusedConnections(fastify: FastifyInstance): void {
  const { server } = fastify;
  const sockets = new Set<Socket>();
  const unread = new WeakSet<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  // The rest of the body has arrived, so the connection can serve its next request.
  server.on('request', ({ socket }) => unread.delete(socket));
  fastify.addHook('onResponse', (request, _reply, done) => {
    if (!request.raw.complete) unread.add(request.raw.socket);
    done();
  });
  fastify.addHook('preClose', async () => {
    if (!server.listening) {
      return;
    }
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      for (const socket of sockets) {
        if (socket.bytesRead === 0 || unread.has(socket)) {
          socket.destroy();
        }
      }
    }, IDLE_CONNECTION_CHECK_MS);
    server.once('close', () => clearInterval(sweep));
  });
}

/**
 * During shutdown, closes each HTTP connection after the next response, so that clients reconnect to another process.
 */
export function closeConnectionsOnStop(fastify: FastifyInstance, health: ProcessHealth): void {
  let isClosing = false;
  fastify.addHook('preClose', async () => {
    isClosing = true;
  });
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    if (isClosing || health.mustCloseConnections) reply.header('connection', 'close');
    done();
  });
}

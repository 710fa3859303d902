import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Health } from '../lifecycle/health.js';

/** Interval between checks for idle connections while the server closes, in milliseconds. */
const SWEEP_MS = 50;

/**
 * Lets the server close as soon as the requests in flight are answered. Node alone waits for three kinds of connection
 * that carry no request: one whose last response was sent while the server closes, which it keeps for the keep-alive
 * time, one that a client opened ahead of need and never used, which it takes for busy, and one whose request was
 * answered before all of its body had arrived, such as a refused upload.
 */
export function closeUnusedConnections(fastify: FastifyInstance): void {
  const { server } = fastify;
  const sockets = new Set<Socket>();
  const unread = new WeakSet<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  fastify.addHook('onRequest', (request, _reply, done) => {
    // The rest of the body has arrived after all: the connection carries its next request.
    unread.delete(request.raw.socket);
    done();
  });
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
    }, SWEEP_MS);
    server.once('close', () => clearInterval(sweep));
  });
}

/** Makes every response of a stopping process the last of its connection: clients open their next one elsewhere. */
export function closeConnectionsOnStop(fastify: FastifyInstance, health: Health): void {
  let isClosing = false;
  fastify.addHook('preClose', async () => {
    isClosing = true;
  });
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    if (isClosing || health.isStopping) reply.header('connection', 'close');
    done();
  });
}

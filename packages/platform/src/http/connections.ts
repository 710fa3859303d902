import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How often connections that have nothing left to do are looked for while the server closes, in milliseconds. */
const SWEEP_MS = 50;

/**
 * Lets the server close as soon as the requests in flight are answered. Node alone waits for two kinds of connection
 * that carry no request: one whose last answer was sent while the server closes, which it keeps for the keep-alive
 * time, and one that a client opened ahead of need and never used, which it takes for busy.
 */
export function closeUnusedConnections(fastify: FastifyInstance): void {
  const { server } = fastify;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  fastify.addHook('preClose', async () => {
    if (!server.listening) {
      return;
    }
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      for (const socket of sockets) {
        if (socket.bytesRead === 0) {
          socket.destroy();
        }
      }
    }, SWEEP_MS);
    server.once('close', () => clearInterval(sweep));
  });
}

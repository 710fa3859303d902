/**
 * Server that `npm run bench -- chat-streams` compares with the chat service. It keeps each response open and writes
 * the same bytes to all. It has no queues, credentials or events, so its memory is a lower bound.
 */
import type { ServerResponse } from 'node:http';
import Fastify from 'fastify';

const { PORT = '0' } = process.env;
const responses: ServerResponse[] = [];
const server = Fastify({ logger: false, bodyLimit: 64 * 1024 * 1024 });

server.get('/health/ready', () => ({ status: 'ok' }));

server.get('/open', (_request, reply) => {
  reply.hijack();
  reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
  reply.raw.write('retry: 1000\n\n');
  responses.push(reply.raw);
});

server.post<{ Body: { text: string } }>('/write', (request) => {
  for (const response of responses) response.write(request.body.text);
  return { responses: responses.length };
});

await server.listen({ host: '127.0.0.1', port: Number(PORT) });
process.once('SIGTERM', () => process.exit(0));

/**
 * Server that `npm run bench -- chat-streams` compares with the chat service. The server leaves every HTTP response
 * open and writes the same bytes to all responses. The server has no queues, credentials or events, so its memory use
 * is a lower bound for the chat service.
 */
import type { ServerResponse } from 'node:http';
import Fastify from 'fastify';

const { PORT = '0' } = process.env;
const openStreamResponses: ServerResponse[] = [];
const baselineServer = Fastify({ logger: false, bodyLimit: 64 * 1024 * 1024 });

baselineServer.get('/health/ready', () => ({ status: 'ok' }));

baselineServer.get('/open', (_request, reply) => {
  reply.hijack();
  reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
  reply.raw.write('retry: 1000\n\n');
  openStreamResponses.push(reply.raw);
});

baselineServer.post<{ Body: { text: string } }>('/write', (request) => {
  for (const response of openStreamResponses) response.write(request.body.text);
  return { responses: openStreamResponses.length };
});

await baselineServer.listen({ host: '127.0.0.1', port: Number(PORT) });
process.once('SIGTERM', () => process.exit(0));

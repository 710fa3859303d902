/**
 * Server that `npm run bench -- inventory-pages` compares with the response cache of the inventory service. For each
 * request, the server runs `SELECT 1` and sends the stored bytes. A real check for changes to the data would take
 * longer than `SELECT 1`. `PUT /stored` stores the bytes.
 */
import Fastify from 'fastify';
import pg from 'pg';

const { DATABASE_URL = '', PORT = '0' } = process.env;
const baselineDatabasePool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const baselineServer = Fastify({ logger: false, bodyLimit: 10_000_000 });
const storedBodies = new Map<string, Buffer>();

baselineServer.get('/health/ready', () => ({ status: 'ok' }));

baselineServer.put<{ Body: string }>('/stored', (request) => {
  storedBodies.set('bytes', Buffer.from(request.body));
  return { status: 'ok' };
});

baselineServer.get('/stored', async (_request, reply) => {
  await baselineDatabasePool.query({ name: 'one', text: 'SELECT 1' });
  return reply.type('application/json; charset=utf-8').send(storedBodies.get('bytes'));
});

await baselineServer.listen({ port: Number(PORT), host: '127.0.0.1' });

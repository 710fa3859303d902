/**
 * Server that `npm run bench -- inventory-pages` compares with stored responses of the inventory service. For each
 * request it runs `SELECT 1` and sends stored bytes. A real check that the bytes are current would take longer than
 * this statement. `PUT /stored` stores the bytes.
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

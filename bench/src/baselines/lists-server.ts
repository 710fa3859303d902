/**
 * Server that `npm run bench -- inventory-lists` compares with the inventory service. The server serves four lists with
 * Fastify and node-postgres. It runs one prepared statement per page, and its responses have the same content. The
 * total number of rows comes from the row counts of the service, and is read in parallel. The server has no
 * authentication, permissions, filters or choice of fields. It fails for rows with relations that are empty in the test
 * data.
 */
import Fastify from 'fastify';
import pg from 'pg';
import { addressList } from './lists/addresses.js';
import { deviceList } from './lists/devices.js';
import { interfaceList } from './lists/interfaces.js';
import type { BaselineListPage } from './lists/baseline-list-page.js';
import { prefixList } from './lists/prefixes.js';

const { DATABASE_URL = '', PORT = '0' } = process.env;
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const baselineDatabasePool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const baselineServer = Fastify({ logger: false });

baselineServer.get('/health/ready', () => ({ status: 'ok' }));

/**
 * Returns the SQL of a list page. The SQL selects the rows of the page first, and joins related objects only for the
 * rows of the page.
 */
function createPageStatementSql(
  { columns, joins, table, order, orderJoins = '' }: Omit<BaselineListPage, 'shape'>,
  byId: boolean,
): string {
  const page = byId
    ? `SELECT t.* FROM ${table} t WHERE t.id >= $2 ORDER BY t.id LIMIT $1`
    : `SELECT t.* FROM ${table} t ${orderJoins} ORDER BY ${order} LIMIT $1`;
  return `SELECT ${columns} FROM (${page}) t ${orderJoins} ${joins} ORDER BY ${byId ? 't.id' : order}`;
}

function serveListEndpoint<Row extends { readonly id: number }>(list: BaselineListPage<Row>): void {
  const [first, byId] = [createPageStatementSql(list, false), createPageStatementSql(list, true)];
  baselineServer.get<{ Querystring: { limit: string; start?: string } }>(
    `/api/${list.path}/`,
    async (request, reply) => {
      const limit = Number(request.query.limit);
      const { start } = request.query;
      const base = `${request.protocol}://${request.host}`;
      const link = (rest: string): string => `${base}/api/${list.path}/?limit=${limit}&${rest}`;
      reply.type('application/json');
      if (start !== undefined) {
        const { rows } = await baselineDatabasePool.query<Row>({
          name: `${list.path} by id`,
          text: byId,
          values: [limit, Number(start)],
        });
        const last = rows.at(-1)?.id ?? 0;
        const results = rows.map((row) => list.shape(row, base));
        return JSON.stringify({
          count: null,
          next: rows.length === limit ? link(`start=${last + 1}`) : null,
          previous: null,
          results,
        });
      }
      const [page, counted] = await Promise.all([
        baselineDatabasePool.query<Row>({ name: list.path, text: first, values: [limit] }),
        baselineDatabasePool.query<{ n: number }>({
          name: 'count',
          text: 'SELECT coalesce(sum(n), 0)::bigint AS n FROM row_counts WHERE model = $1',
          values: [list.model],
        }),
      ]);
      const count = counted.rows[0]?.n ?? 0;
      const results = page.rows.map((row) => list.shape(row, base));
      return JSON.stringify({ count, next: limit < count ? link(`offset=${limit}`) : null, previous: null, results });
    },
  );
}

serveListEndpoint(deviceList);
serveListEndpoint(interfaceList);
serveListEndpoint(addressList);
serveListEndpoint(prefixList);

await baselineServer.listen({ host: '127.0.0.1', port: Number(PORT) });
process.once('SIGTERM', () => process.exit(0));

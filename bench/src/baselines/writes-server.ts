/**
 * Server that `npm run bench -- inventory-writes` compares with the inventory service. It uses Fastify, node-postgres,
 * and the tables and triggers of the service. One prepared statement per table writes all objects of a request. A
 * transaction commits the same rows as the service: each object, its change record and outbox row. It has no
 * authentication, validation or webhooks.
 */
import Fastify from 'fastify';
import pg from 'pg';

const { DATABASE_URL = '', PORT = '0' } = process.env;
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const baselineDatabasePool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const baselineServer = Fastify({ logger: false, bodyLimit: 10_000_000 });

await baselineDatabasePool.query(
  'CREATE TABLE IF NOT EXISTS bench_outbox (id bigserial PRIMARY KEY, topic text NOT NULL, payload jsonb NOT NULL)',
);

interface AddressRow {
  readonly id: number;
  readonly address: string;
  readonly family: 4 | 6;
  readonly status: string;
  readonly dns_name: string;
  readonly description: string;
  readonly comments: string;
  readonly custom_fields: Readonly<Record<string, unknown>>;
  readonly created: string;
  readonly last_updated: string;
}

const IP_ADDRESS_COLUMNS_SQL = `id, host(address) || '/' || masklen(address) AS address, family(address) AS family, status, dns_name,
  description, comments, custom_field_data AS custom_fields,
  to_char(created AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created,
  to_char(last_updated AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS last_updated`;

const emptyAddressRelations = {
  vrf: null,
  tenant: null,
  role: null,
  assigned_object_type: null,
  assigned_object_id: null,
};

function createAddressJson(row: AddressRow, base: string): object {
  return {
    id: row.id,
    url: `${base}/api/ipam/ip-addresses/${row.id}/`,
    display_url: `${base}/ipam/ip-addresses/${row.id}/`,
    display: row.address,
    family: { value: row.family, label: `IPv${row.family}` },
    address: row.address,
    vrf: null,
    tenant: null,
    status: { value: row.status, label: 'Active' },
    role: null,
    assigned_object_type: null,
    assigned_object_id: null,
    assigned_object: null,
    nat_inside: null,
    nat_outside: [],
    dns_name: row.dns_name,
    description: row.description,
    owner: null,
    comments: row.comments,
    tags: [],
    custom_fields: row.custom_fields,
    created: row.created,
    last_updated: row.last_updated,
  };
}

/** Returns an IP address in the JSON form of the change log. */
function createAddressSnapshot({ id: _id, family: _family, last_updated: _time, ...row }: AddressRow): object {
  return { ...row, ...emptyAddressRelations, nat_inside: null, owner: null, tags: [] };
}

/** An IP address before and after a write. `row` is the JSON of the address in the outbox row. */
interface AddressBeforeAndAfterWrite {
  readonly row: AddressRow;
  readonly before: AddressRow | null;
  readonly after: AddressRow | null;
}

/**
 * Inserts the change records and the outbox rows of written IP addresses. Uses one statement for the change records and
 * one for the outbox rows.
 */
async function insertChangeRecords(
  client: pg.PoolClient,
  action: 'create' | 'update' | 'delete',
  states: readonly AddressBeforeAndAfterWrite[],
  base: string,
): Promise<void> {
  const parts = states.map(({ row, before, after }) => ({
    id: row.id,
    repr: row.address,
    prechange: before && createAddressSnapshot(before),
    postchange: after && createAddressSnapshot(after),
    data: createAddressJson(row, base),
  }));
  await client.query({
    name: 'change',
    text: `INSERT INTO core_objectchange (user_name, request_id, action, changed_object_type, changed_object_id,
        object_repr, prechange_data, postchange_data)
      SELECT 'bench', gen_random_uuid(), $1, 'ipam.ipaddress', r.id, r.repr, r.prechange, r.postchange
      FROM jsonb_to_recordset($2::jsonb) AS r(id bigint, repr text, prechange jsonb, postchange jsonb)`,
    values: [action, JSON.stringify(parts.map(({ data: _data, ...part }) => part))],
  });
  const messages = parts.map(({ data, prechange, postchange }) => ({
    payload: { event: action, object_type: 'ipam.ipaddress', data, snapshots: { prechange, postchange } },
  }));
  await client.query({
    name: 'outbox',
    text: `INSERT INTO bench_outbox (topic, payload)
      SELECT 'inventory.changes', r.payload FROM jsonb_to_recordset($1::jsonb) AS r(payload jsonb)`,
    values: [JSON.stringify(messages)],
  });
}

async function runInTransaction<T>(run: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await baselineDatabasePool.connect();
  try {
    await client.query('BEGIN');
    const result = await run(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

interface NewAddress {
  readonly address: string;
  readonly dns_name?: string;
  readonly description?: string;
}

async function insertAddresses(client: pg.PoolClient, objects: readonly NewAddress[], base: string): Promise<object[]> {
  const { rows } = await client.query<AddressRow>({
    name: 'insert',
    text: `INSERT INTO ipam_ipaddress (address, dns_name, description)
      SELECT r.address, coalesce(r.dns_name, ''), coalesce(r.description, '')
      FROM jsonb_to_recordset($1::jsonb) AS r(address inet, dns_name text, description text) RETURNING ${IP_ADDRESS_COLUMNS_SQL}`,
    values: [JSON.stringify(objects)],
  });
  const states = rows.map((row) => ({ row, before: null, after: row }));
  await insertChangeRecords(client, 'create', states, base);
  return rows.map((row) => createAddressJson(row, base));
}

const ipAddressesApiPath = '/api/ipam/ip-addresses/';
const getRequestOrigin = (request: { protocol: string; host: string }): string =>
  `${request.protocol}://${request.host}`;

baselineServer.get('/health/ready', () => ({ status: 'ok' }));

baselineServer.post<{ Body: NewAddress | NewAddress[] }>(ipAddressesApiPath, async (request, reply) => {
  const { body } = request;
  const made = await runInTransaction((client) => insertAddresses(client, [body].flat(), getRequestOrigin(request)));
  reply.code(201);
  return Array.isArray(body) ? made : made[0];
});

baselineServer.patch<{ Body: { id: number; description: string }[] }>(ipAddressesApiPath, async (request) => {
  const base = getRequestOrigin(request);
  return runInTransaction(async (client) => {
    const ids = request.body.map(({ id }) => id);
    const { rows: before } = await client.query<AddressRow>({
      name: 'load',
      text: `SELECT ${IP_ADDRESS_COLUMNS_SQL} FROM ipam_ipaddress WHERE id = ANY ($1::bigint[]) ORDER BY ipam_ipaddress.id FOR NO KEY UPDATE`,
      values: [ids],
    });
    const { rows } = await client.query<AddressRow>({
      name: 'update',
      text: `WITH written AS (
          UPDATE ipam_ipaddress a SET description = r.description, last_updated = clock_timestamp()
          FROM jsonb_to_recordset($1::jsonb) AS r(id bigint, description text) WHERE a.id = r.id RETURNING a.*
        ) SELECT ${IP_ADDRESS_COLUMNS_SQL} FROM written ORDER BY written.id`,
      values: [JSON.stringify(request.body)],
    });
    const states = rows.map((row, index) => ({ row, before: before[index] ?? null, after: row }));
    await insertChangeRecords(client, 'update', states, base);
    return rows.map((row) => createAddressJson(row, base));
  });
});

baselineServer.delete<{ Body: { id: number }[] }>(ipAddressesApiPath, async (request, reply) => {
  await runInTransaction(async (client) => {
    const { rows } = await client.query<AddressRow>({
      name: 'delete',
      text: `DELETE FROM ipam_ipaddress WHERE id = ANY ($1::bigint[]) RETURNING ${IP_ADDRESS_COLUMNS_SQL}`,
      values: [request.body.map(({ id }) => id)],
    });
    const states = rows.map((row) => ({ row, before: row, after: null }));
    await insertChangeRecords(client, 'delete', states, getRequestOrigin(request));
  });
  reply.code(204);
});

/**
 * Allocates an IP address in a prefix: the address after the highest allocated address. Concurrent allocations from one
 * prefix run one after another, because each locks the row of the prefix.
 */
baselineServer.post<{ Params: { id: string } }>('/api/ipam/prefixes/:id/available-ips/', async (request, reply) => {
  const made = await runInTransaction(async (client) => {
    await client.query({
      name: 'lock',
      text: 'SELECT FROM ipam_prefix WHERE id = $1 FOR UPDATE',
      values: [request.params.id],
    });
    const { rows } = await client.query<{ next: string }>({
      name: 'next',
      text: `SELECT set_masklen(coalesce((SELECT host(a.address)::inet FROM ipam_ipaddress a
            WHERE host(a.address)::inet > host(p.prefix)::inet AND host(a.address)::inet <= host(broadcast(p.prefix))::inet
            ORDER BY host(a.address)::inet DESC LIMIT 1), host(p.prefix)::inet) + 1, masklen(p.prefix))::text AS next
        FROM ipam_prefix p WHERE p.id = $1`,
      values: [request.params.id],
    });
    return insertAddresses(client, [{ address: rows[0]?.next ?? '' }], getRequestOrigin(request));
  });
  reply.code(201);
  return made[0];
});

await baselineServer.listen({ host: '127.0.0.1', port: Number(PORT) });
process.once('SIGTERM', () => process.exit(0));

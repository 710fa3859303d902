/**
 * Server that `npm run bench -- inventory` compares with the inventory service. The server lists and creates prefixes
 * with Fastify, node-postgres and prepared statements. It uses the tables and triggers of the service. It sends the
 * same bytes and commits the same rows: the object, its change record and outbox row. The server has no authentication,
 * validation or webhooks.
 */
import Fastify from 'fastify';
import pg from 'pg';
import { createPrefixRelationCountsSql } from './prefix-relation-counts.js';

interface PrefixRow {
  id: string;
  prefix: string;
  family: 4 | 6;
  vrf_id: string | null;
  vrf_name: string;
  vrf_rd: string | null;
  vrf_description: string;
  tenant_id: string | null;
  tenant_name: string;
  tenant_slug: string;
  tenant_description: string;
  role_id: string | null;
  role_name: string;
  role_slug: string;
  role_description: string;
  status: string;
  is_pool: boolean;
  mark_utilized: boolean;
  description: string;
  comments: string;
  custom_field_data: Record<string, unknown>;
  created: string;
  last_updated: string;
  children: string;
  depth: number;
}

const prefixCountSql = createPrefixRelationCountsSql('p');

const SELECT_PREFIX_PAGE_SQL = `
  SELECT p.id, p.prefix, family(p.prefix) AS family, p.status, p.is_pool, p.mark_utilized, p.description, p.comments,
         p.custom_field_data, ${prefixCountSql.depth} AS depth,
         to_char(p.created AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created,
         to_char(p.last_updated AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS last_updated,
         ${prefixCountSql.children} AS children,
         v.id AS vrf_id, v.name AS vrf_name, v.rd AS vrf_rd, v.description AS vrf_description,
         t.id AS tenant_id, t.name AS tenant_name, t.slug AS tenant_slug, t.description AS tenant_description,
         r.id AS role_id, r.name AS role_name, r.slug AS role_slug, r.description AS role_description
  -- The page first, then its relations: what an offset skips is not worth shaping.
  FROM (SELECT * FROM ipam_prefix ORDER BY vrf_id NULLS FIRST, prefix, id LIMIT $1 OFFSET $2) p
  LEFT JOIN ipam_vrf v ON v.id = p.vrf_id
  LEFT JOIN tenancy_tenant t ON t.id = p.tenant_id
  LEFT JOIN ipam_role r ON r.id = p.role_id
  ORDER BY p.vrf_id NULLS FIRST, p.prefix, p.id`;

const { DATABASE_URL = '', PORT = '0' } = process.env;
const baselineDatabasePool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const prefixStatusLabels: Record<string, string> = {
  active: 'Active',
  container: 'Container',
  reserved: 'Reserved',
  deprecated: 'Deprecated',
};

await baselineDatabasePool.query(
  'CREATE TABLE IF NOT EXISTS bench_outbox (id bigserial PRIMARY KEY, topic text NOT NULL, payload jsonb NOT NULL)',
);

function createPrefixJson(row: PrefixRow, base: string): Record<string, unknown> {
  return {
    id: Number(row.id),
    url: `${base}/api/ipam/prefixes/${row.id}/`,
    display_url: `${base}/ipam/prefixes/${row.id}/`,
    display: row.prefix,
    family: { value: row.family, label: `IPv${row.family}` },
    prefix: row.prefix,
    vrf: row.vrf_id === null ? null : createVrfJson(row, base),
    scope_type: null,
    scope_id: null,
    scope: null,
    tenant: row.tenant_id === null ? null : createTenantJson(row, base),
    vlan: null,
    status: { value: row.status, label: prefixStatusLabels[row.status] },
    role: row.role_id === null ? null : createRoleJson(row, base),
    is_pool: row.is_pool,
    mark_utilized: row.mark_utilized,
    description: row.description,
    owner: null,
    comments: row.comments,
    tags: [],
    custom_fields: row.custom_field_data,
    created: row.created,
    last_updated: row.last_updated,
    children: Number(row.children),
    _depth: row.depth,
  };
}

/** Returns a prefix in the JSON form of the change log, in which references are ids. */
function createPrefixSnapshot(row: PrefixRow): Record<string, unknown> {
  return {
    prefix: row.prefix,
    vrf: row.vrf_id,
    scope_type: null,
    scope_id: null,
    tenant: row.tenant_id,
    vlan: null,
    status: row.status,
    role: row.role_id,
    is_pool: row.is_pool,
    mark_utilized: row.mark_utilized,
    description: row.description,
    owner: null,
    comments: row.comments,
    tags: [],
    custom_fields: row.custom_field_data,
    created: row.created,
    last_updated: row.last_updated,
  };
}

const createVrfJson = (row: PrefixRow, base: string): Record<string, unknown> => ({
  id: Number(row.vrf_id),
  url: `${base}/api/ipam/vrfs/${row.vrf_id}/`,
  display: row.vrf_rd === null ? row.vrf_name : `${row.vrf_name} (${row.vrf_rd})`,
  name: row.vrf_name,
  rd: row.vrf_rd,
  description: row.vrf_description,
});

const createTenantJson = (row: PrefixRow, base: string): Record<string, unknown> => ({
  id: Number(row.tenant_id),
  url: `${base}/api/tenancy/tenants/${row.tenant_id}/`,
  display: row.tenant_name,
  name: row.tenant_name,
  slug: row.tenant_slug,
  description: row.tenant_description,
});

const createRoleJson = (row: PrefixRow, base: string): Record<string, unknown> => ({
  id: Number(row.role_id),
  url: `${base}/api/ipam/roles/${row.role_id}/`,
  display: row.role_name,
  name: row.role_name,
  slug: row.role_slug,
  description: row.role_description,
});

const baselineServer = Fastify({ logger: false });

baselineServer.get('/health/ready', () => ({ status: 'ok' }));

baselineServer.get<{ Querystring: { limit?: string; offset?: string } }>(
  '/api/ipam/prefixes/',
  async (request, reply) => {
    const limit = Number(request.query.limit ?? 50);
    const offset = Number(request.query.offset ?? 0);
    const base = `${request.protocol}://${request.host}`;
    const [page, total] = await Promise.all([
      baselineDatabasePool.query<PrefixRow>({ name: 'page', text: SELECT_PREFIX_PAGE_SQL, values: [limit, offset] }),
      baselineDatabasePool.query<{ count: string }>({ name: 'count', text: 'SELECT count(*) FROM ipam_prefix' }),
    ]);
    const count = Number(total.rows[0]?.count);
    const link = (at: number): string => `${base}/api/ipam/prefixes/?limit=${limit}${at > 0 ? `&offset=${at}` : ''}`;
    reply.type('application/json');
    return JSON.stringify({
      count,
      next: offset + limit < count ? link(offset + limit) : null,
      previous: offset > 0 ? link(Math.max(0, offset - limit)) : null,
      results: page.rows.map((row) => createPrefixJson(row, base)),
    });
  },
);

baselineServer.post<{ Body: { prefix: string; description: string } }>(
  '/api/ipam/prefixes/',
  async (request, reply) => {
    const base = `${request.protocol}://${request.host}`;
    const client = await baselineDatabasePool.connect();
    try {
      await client.query('BEGIN');
      const inserted = await client.query<PrefixRow>({
        name: 'insert',
        text: `INSERT INTO ipam_prefix (prefix, description) VALUES ($1, $2)
             RETURNING id, prefix, family(prefix) AS family, status, is_pool, mark_utilized, description, comments,
               custom_field_data, ${createPrefixRelationCountsSql('ipam_prefix').depth} AS depth, ${createPrefixRelationCountsSql('ipam_prefix').children} AS children,
               to_char(created AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created,
               to_char(last_updated AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS last_updated,
               NULL AS vrf_id, NULL AS tenant_id, NULL AS role_id`,
        values: [request.body.prefix, request.body.description],
      });
      const [row] = inserted.rows;
      if (!row) {
        throw new Error('nothing was inserted');
      }
      const body = createPrefixJson(row, base);
      await client.query({
        name: 'change',
        text: `INSERT INTO core_objectchange (user_name, request_id, action, changed_object_type, changed_object_id, object_repr,
               postchange_data)
             VALUES ('bench', gen_random_uuid(), 'create', 'ipam.prefix', $1, $2, $3)`,
        values: [row.id, row.prefix, JSON.stringify(createPrefixSnapshot(row))],
      });
      await client.query({
        name: 'outbox',
        text: 'INSERT INTO bench_outbox (topic, payload) VALUES ($1, $2)',
        values: ['inventory.changes', JSON.stringify({ event: 'created', object_type: 'ipam.prefix', data: body })],
      });
      await client.query('COMMIT');
      reply.code(201);
      return body;
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  },
);

await baselineServer.listen({ host: '127.0.0.1', port: Number(PORT) });
process.once('SIGTERM', () => process.exit(0));

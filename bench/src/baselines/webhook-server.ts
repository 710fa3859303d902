/**
 * Server that `npm run bench -- webhooks` compares with the inventory service. One process uses Fastify, node-postgres,
 * a BullMQ job and fetch for each change and its webhook. One prepared statement commits the same rows (the site, its
 * change record, the delivery), and the response has the same bytes. The job sends the delivery and records its outcome
 * in one more statement. It has no authentication, validation, event rules or order, and loses the job if the process
 * dies after the commit.
 */
import { randomUUID } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import pg from 'pg';

const { DATABASE_URL = '', REDIS_URL = '', PORT = '0', RECEIVER_URL = '' } = process.env;
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const baselineDatabasePool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const createRedisConnection = (): Redis => new Redis(REDIS_URL, { maxRetriesPerRequest: null });
const baselineQueuePrefix = '{bench-webhooks}';
const baselineQueue = new Queue<WebhookDelivery>('webhooks', {
  connection: createRedisConnection(),
  prefix: baselineQueuePrefix,
});

interface WebhookDelivery {
  readonly id: string;
  readonly body: string;
}

interface StoredSite {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly status: string;
  readonly facility: string;
  readonly time_zone: string | null;
  readonly description: string;
  readonly physical_address: string;
  readonly shipping_address: string;
  readonly latitude: string | null;
  readonly longitude: string | null;
  readonly comments: string;
  readonly custom_fields: object;
  readonly created: string;
  readonly last_updated: string;
  readonly asns: object[];
  readonly tags: object[];
  readonly counts: object;
  readonly before: object;
  readonly after: object;
}

const COUNTED_SITE_RELATIONS = {
  circuit_count: 'circuits_circuittermination c WHERE c._site_id = t.id',
  device_count: 'dcim_device c WHERE c.site_id = t.id',
  prefix_count: "ipam_prefix c WHERE c.scope_id = t.id AND c.scope_type = 'dcim.site'",
  rack_count: 'dcim_rack c WHERE c.site_id = t.id',
  virtualmachine_count: 'virtualization_virtualmachine c WHERE c.site_id = t.id',
  vlan_count: 'ipam_vlan c WHERE c.site_id = t.id',
};

const siteRelationCountsSql = Object.entries(COUNTED_SITE_RELATIONS).map(
  ([name, from]) => `'${name}', (SELECT count(*) FROM ${from})`,
);
const createTimestampTextSql = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** Returns the SQL expression that formats a site as JSON for the change log. */
const createSiteSnapshotSql = (row: string): string => `jsonb_build_object('name', ${row}.name, 'slug', ${row}.slug,
  'status', ${row}.status, 'region', ${row}.region_id, 'group', ${row}.group_id, 'tenant', ${row}.tenant_id,
  'facility', ${row}.facility, 'time_zone', ${row}.time_zone, 'description', ${row}.description,
  'physical_address', ${row}.physical_address, 'shipping_address', ${row}.shipping_address,
  'latitude', ${row}.latitude, 'longitude', ${row}.longitude, 'owner', ${row}.owner_id, 'comments', ${row}.comments,
  'asns', '[]'::json, 'tags', '[]'::json, 'custom_fields', ${row}.custom_field_data, 'created', ${row}.created)`;

const CHANGE_SITE_SQL = `
  WITH b AS MATERIALIZED (SELECT * FROM dcim_site WHERE id = $1 FOR NO KEY UPDATE),
  a AS (
    UPDATE dcim_site s SET description = $2, last_updated = clock_timestamp() FROM b WHERE s.id = b.id RETURNING s.*),
  t AS MATERIALIZED (SELECT a.*, ${createSiteSnapshotSql('b')} AS before, ${createSiteSnapshotSql('a')} AS after FROM a JOIN b ON b.id = a.id),
  logged AS (
    INSERT INTO core_objectchange (user_name, request_id, action, changed_object_type, changed_object_id, object_repr,
                                   prechange_data, postchange_data)
    SELECT 'bench', $3::uuid, 'update', 'dcim.site', t.id, t.name, t.before, t.after FROM t),
  delivery AS (
    INSERT INTO webhook_deliveries (id, event_rule_id, action_type, action_object_id, webhook_id, event, object_type,
                                    object_id, request_id, payload, attempts, last_attempt_at, next_attempt_at)
    SELECT $3::uuid, r.id, 'webhook', w.id, w.id, 'updated', 'dcim.site', t.id, $3::uuid,
           json_build_object('event', 'updated', 'object_type', 'dcim.site', 'username', 'bench', 'request_id', $3::text,
             'data', to_json(t), 'snapshots', json_build_object('prechange', t.before, 'postchange', t.after)),
           1, now(), now() + interval '1 minute'
      FROM t, extras_webhook w JOIN extras_eventrule r ON r.action_object_id = w.id WHERE w.payload_url = $4)
  SELECT t.id, t.name, t.slug, t.status, t.facility, t.time_zone, t.description, t.physical_address, t.shipping_address,
         t.latitude, t.longitude, t.comments, t.custom_field_data AS custom_fields, ${createTimestampTextSql('t.created')} AS created,
         ${createTimestampTextSql('t.last_updated')} AS last_updated, t.before, t.after, json_build_object(${siteRelationCountsSql.join(', ')}) AS counts,
         (SELECT coalesce(json_agg(n.asn_id), '[]') FROM dcim_site_asns n WHERE n.site_id = t.id) AS asns,
         (SELECT coalesce(json_agg(g.tag_id), '[]') FROM extras_taggeditem g
           WHERE g.object_id = t.id AND g.object_type = 'dcim.site') AS tags
    FROM t`;

const RECORD_DELIVERY_SQL = `
  WITH d AS (
    UPDATE webhook_deliveries SET status = 'succeeded', next_attempt_at = NULL, finished = now(), response_status = $2,
           duration_ms = $3 WHERE id = $1 RETURNING sequence, attempts, last_attempt_at)
  INSERT INTO webhook_delivery_attempts (delivery_sequence, number, started, duration_ms, request_method, request_url,
         request_headers, response_status, response_headers, response_body)
  SELECT sequence, attempts, last_attempt_at, $3, 'POST', $4, $5, $2, $6, $7 FROM d`;

function createSiteJson(
  { counts: counted, before: _before, after: _after, ...site }: StoredSite,
  base: string,
): object {
  return {
    id: site.id,
    url: `${base}/api/dcim/sites/${site.id}/`,
    display_url: `${base}/dcim/sites/${site.id}/`,
    display: site.name,
    name: site.name,
    slug: site.slug,
    status: { value: site.status, label: 'Active' },
    region: null,
    group: null,
    tenant: null,
    facility: site.facility,
    time_zone: site.time_zone,
    description: site.description,
    physical_address: site.physical_address,
    shipping_address: site.shipping_address,
    latitude: site.latitude,
    longitude: site.longitude,
    owner: null,
    comments: site.comments,
    asns: site.asns,
    tags: site.tags,
    custom_fields: site.custom_fields,
    created: site.created,
    last_updated: site.last_updated,
    ...counted,
  };
}

const webhookRequestHeaders = { 'content-type': 'application/json' };

const baselineWorker = new Worker<WebhookDelivery>(
  'webhooks',
  async ({ data: { id, body } }) => {
    const started = performance.now();
    const response = await fetch(RECEIVER_URL, { method: 'POST', headers: webhookRequestHeaders, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`status ${response.status}`);
    const taken = Math.round(performance.now() - started);
    const headers = JSON.stringify(Object.fromEntries(response.headers));
    const values = [id, response.status, taken, RECEIVER_URL, JSON.stringify(webhookRequestHeaders), headers, text];
    await baselineDatabasePool.query({ name: 'record', text: RECORD_DELIVERY_SQL, values });
  },
  { connection: createRedisConnection(), prefix: baselineQueuePrefix, concurrency: 20 },
);
await Promise.all([baselineQueue.waitUntilReady(), baselineWorker.waitUntilReady()]);

const baselineServer = Fastify({ logger: false });

baselineServer.get('/health/ready', () => ({ status: 'ok' }));

baselineServer.patch<{ Params: { id: string }; Body: { description: string } }>(
  '/api/dcim/sites/:id/',
  async ({ params, body: { description }, protocol, host, method, url }) => {
    const id = randomUUID();
    const { rows } = await baselineDatabasePool.query<StoredSite>({
      name: 'change',
      text: CHANGE_SITE_SQL,
      values: [params.id, description, id, RECEIVER_URL],
    });
    const [site] = rows;
    if (!site) throw new Error(`no site ${params.id}`);
    const event = {
      event: 'updated',
      timestamp: new Date().toISOString(),
      object_type: 'dcim.site',
      username: 'bench',
      request_id: id,
      data: createSiteJson(site, ''),
      request: { id, method, path: url, user: 'bench' },
      snapshots: { prechange: site.before, postchange: site.after },
    };
    await baselineQueue.add('deliver', { id, body: JSON.stringify(event) }, { removeOnComplete: 1_000, attempts: 6 });
    return createSiteJson(site, `${protocol}://${host}`);
  },
);

await baselineServer.listen({ host: '127.0.0.1', port: Number(PORT) });
process.once('SIGTERM', () => process.exit(0));

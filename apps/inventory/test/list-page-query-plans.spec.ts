import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { selectCases } from '@switchboard/testing';
import { LargeTableDetector } from '../src/engine/read/table-sizes.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { type Sent, statementsOf } from './support/record-list-statements.js';

const devices = 50_000;

/** Number of 8 kB pages in the database file of the device table. */
const tablePages = 1300;

const recently = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

/**
 * SQL statements that insert devices. The names, locations and values are shuffled, so that no index has the same order
 * as the rows of the table.
 */
const seed = [
  `INSERT INTO extras_tag (name, slug) VALUES ('Scarce', 'scarce'), ('Common', 'common')`,
  // Custom field values are stored under the ids of pairs of field and model: #1 and #2.
  `INSERT INTO extras_customfield (name, type, object_types, filter_logic)
   VALUES ('code', 'text', '{dcim.device}', 'exact'), ('slot', 'integer', '{dcim.device}', 'exact')`,
  `INSERT INTO dcim_manufacturer (name, slug) VALUES ('Maker', 'maker')`,
  `INSERT INTO dcim_devicetype (manufacturer_id, model, slug) SELECT 1, 'Model ' || n, 'model-' || n FROM generate_series(1, 50) n`,
  `INSERT INTO dcim_devicerole (name, slug) SELECT 'Role ' || n, 'role-' || n FROM generate_series(1, 20) n`,
  `INSERT INTO tenancy_tenant (name, slug) SELECT 'Tenant ' || n, 'tenant-' || n FROM generate_series(1, 100) n`,
  `INSERT INTO dcim_platform (name, slug) SELECT 'Platform ' || n, 'platform-' || n FROM generate_series(1, 20) n`,
  `INSERT INTO dcim_site (name, slug) SELECT 'Site ' || n, 'site-' || n FROM generate_series(1, 500) n`,
  `INSERT INTO dcim_rack (name, site_id) SELECT 'Rack ' || n, n % 500 + 1 FROM generate_series(1, 1000) n`,
  `INSERT INTO dcim_device (name, device_type_id, role_id, tenant_id, platform_id, site_id, rack_id, status, serial,
     description, custom_field_data, primary_ip4_id, created, last_updated)
   SELECT 'device-' || n, n % 50 + 1, n % 20 + 1, CASE WHEN n % 3 > 0 THEN n % 100 + 1 END,
     CASE WHEN n % 2 = 0 THEN n / 2 % 20 + 1 END, r.site_id, r.id,
     CASE WHEN n % 1000 = 7 THEN 'failed' ELSE 'active' END, 'S' || n, 'Number ' || n,
     jsonb_build_object('#1', 'code-' || n % 5000, '#2', n),
     -- A fifth of the devices have an address, from the first half of all addresses.
     CASE WHEN n % 5 = 0 THEN n / 5 + 1 END, now() - n * interval '1 minute', now() - n * interval '1 minute'
   FROM (SELECT k * 7919 % $1::int AS n FROM generate_series(1, $1::int) k) numbers JOIN dcim_rack r ON r.id = n % 1000 + 1`,
  `INSERT INTO virtualization_virtualmachine (name, status, site_id)
   SELECT 'machine-' || n, 'active', n % 500 + 1 FROM generate_series(1, 5000) n`,
  `INSERT INTO extras_taggeditem (object_type, object_id, tag_id)
   SELECT 'dcim.device', d.id, t.id FROM dcim_device d, extras_tag t
   WHERE t.slug = 'common' AND d.id % 2 = 0 OR t.slug = 'scarce' AND d.id % 1000 = 0`,
  // Adds as many prefixes and addresses. Nearly all are below 10.0.0.0/8; a single network is outside.
  `INSERT INTO ipam_prefix (prefix, status)
   SELECT set_masklen('10.0.0.0'::inet + 16 * n, 28)::cidr, 'active' FROM generate_series(1, 20000) n`,
  `INSERT INTO ipam_prefix (prefix, status) VALUES ('192.0.2.0/28', 'reserved')`,
  `INSERT INTO ipam_ipaddress (address, status)
   SELECT set_masklen('10.0.0.0'::inet + 16 * n, 28), 'active' FROM generate_series(1, 20000) n`,
  `INSERT INTO ipam_iprange (start_address, end_address, status)
   SELECT set_masklen('10.0.0.0'::inet + 16 * n, 28), set_masklen('10.0.0.0'::inet + 16 * n + 3, 28), 'active'
   FROM generate_series(1, 20000) n`,
];

/**
 * Regular expression of INSERT statements for tables whose triggers are disabled meanwhile. With the triggers, the
 * inserts would take twice the time.
 */
const untriggered = /INTO (dcim_device|virtualization_virtualmachine|ipam_\w+) /;

let test: TestInventory;
beforeAll(async () => {
  // Responses are not cached, so that every request runs its statements.
  test = await startInventory({ RESPONSE_MEMORY_BYTES: '0' });
  const { database } = test.inventory;
  await database.inTransaction(async (tx) => {
    for (const statement of seed) {
      if (untriggered.test(statement)) await tx.query('SET LOCAL session_replication_role = replica');
      await tx.query(statement, statement.includes('$1') ? [devices] : []);
    }
    await tx.query(
      `INSERT INTO row_counts (model, slot, n) VALUES ('dcim.device', 0, $1), ('virtualization.virtualmachine', 0, 5000)`,
      [devices],
    );
  });
  await database.query('VACUUM');
  // Statistics are computed from all rows instead of a sample, so that plans do not vary.
  await database.pool.query('SET default_statistics_target = 10000; ANALYZE; RESET default_statistics_target');
  // Index-only scans need pages that are marked as all-visible. VACUUM marks a page when no transaction is older than
  // its rows.
  await vi.waitFor(vacuum, { timeout: 60_000, interval: 100 });
}, 120_000);
afterAll(() => test.close());

/**
 * Vacuums the device table.
 *
 * @throws Error if a page is not all-visible afterwards
 */
async function vacuum(): Promise<void> {
  const { database } = test.inventory;
  await database.query('VACUUM dcim_device');
  const { rows } = await database.query<{ hidden: number }>(
    `SELECT relpages - relallvisible AS hidden FROM pg_class WHERE oid = 'dcim_device'::regclass`,
  );
  if (rows[0]?.hidden !== 0) throw new Error(`${rows[0]?.hidden} pages are not visible to all`);
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Subplan Name'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly 'Heap Fetches'?: number;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

const buffersOf = (node: PlanNode): number => node['Shared Hit Blocks'] + node['Shared Read Blocks'];

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Returns the nodes of a query plan, without aggregate nodes and without the nodes below aggregate nodes. */
const nodesOutsideAggregates = (node: PlanNode): PlanNode[] =>
  node['Node Type'] === 'Aggregate' ? [] : [node, ...(node.Plans ?? []).flatMap(nodesOutsideAggregates)];

async function planOf({ text, values }: Sent): Promise<PlanNode> {
  const explain = 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON)';
  const { rows } = await test.inventory.database.pool.query(`${explain} ${text}`, values);
  return rows[0]['QUERY PLAN'][0].Plan;
}

/**
 * Returns the number of buffers that PostgreSQL reads for a page of 50 devices, and the number for the count of the
 * list. Also returns the plan node that scans the table of devices for the count.
 */
async function costOf(query: string) {
  const { count: found, choosing, reading } = await statementsOf(test, `dcim/devices/?limit=50&${query}`);
  const plan = await planOf(choosing);
  const count = (plan.Plans ?? []).find((node) => node['Subplan Name']?.startsWith('InitPlan') === true);
  const counted = count === undefined ? [] : nodesOf(count).filter((node) => node['Relation Name'] === 'dcim_device');
  const ofCount = count === undefined ? 0 : buffersOf(count);
  const ofRows = reading === choosing ? 0 : buffersOf(await planOf(reading));
  return { found, page: buffersOf(plan) - ofCount + ofRows, count: ofCount, counted };
}

/** Maximum number of buffers that PostgreSQL may read for a page of 50 devices with all related objects. */
const maxPageBuffers = 3000;

/**
 * Maximum number of buffers that PostgreSQL may read for the count of a list. The count reads only an index, or rows
 * that a search index has found.
 */
const maxCountBuffers = 500;

/** Returns true if the plan node for a count reads only an index, or only rows that a search index has found. */
const readsIndex = (node: PlanNode): boolean =>
  node['Node Type'] === 'Bitmap Heap Scan' ||
  (node['Node Type'].startsWith('Index') && (node['Heap Fetches'] ?? 0) === 0);

const texts = (name: string, value: string, lookups: string[]): string[] =>
  lookups.map((lookup) => (lookup === '' ? `${name}=${value}` : `${name}__${lookup}=${value}`));

const references = (name: string, value: string): string[] => [
  `${name}=${value}`,
  `${name}__n=${value}`,
  `${name}_id=1`,
  `${name}_id__n=1`,
];

/** Returns all cases in a long run, and every second case in a short run. */
const selectEverySecondCase = <T>(cases: readonly T[]): readonly T[] =>
  selectCases(cases, (_, index) => index % 2 === 0);

const positive = ['', 'ic', 'isw', 'iew', 'ie'];
const negative = ['n', 'nic', 'nisw', 'niew', 'nie'];

describe('GET /api/dcim/devices/ with 50,000 devices', () => {
  it.each(
    selectEverySecondCase([
      ...['', 'id', '-id', 'name', '-name', 'site'].map((order) => `ordering=${order}`),
      'brief=true',
      'start=25000',
      'offset=25000&ordering=id',
      ...['created', '-created', 'last_updated', '-last_updated', 'tenant', '-tenant', 'platform', '-platform'].map(
        (order) => `ordering=${order}`,
      ),
      'offset=25000',
      'offset=49950',
      'offset=49990',
      'offset=40000&ordering=created',
      'offset=25000&ordering=-id',
      ...texts('name', 'device-777', positive),
      ...texts('serial', 'S777', positive),
      ...texts('description', 'Number 777', ['', 'ic', 'isw', 'iew']),
      'status=failed',
      'status=active',
      'status__n=active',
      'id=500',
      'id__n=500',
      'id__lt=500',
      'id__gte=500',
      'id__empty=true',
      ...references('site', 'site-1'),
      ...references('role', 'role-1'),
      ...references('platform', 'platform-1'),
      ...references('device_type', 'model-1'),
      'manufacturer=maker',
      'manufacturer_id=1',
      'tenant__n=tenant-1',
      'tenant_id=1',
      'tenant_id__n=1',
      'rack_id=1',
      'rack_id=null',
      'tenant_id=null',
      'site=site-1&status=active',
      'tag=scarce',
      'tag=common',
      'tag__n=common',
      'tag=common&tag=scarce',
      'tag_id=1',
      'q=device-777',
      'q=nonesuch',
      'cf_code=code-7',
      'cf_slot=777',
      'interfaces=true',
      'interfaces=false',
      'interface_count=0',
      'position__gt=3',
      'virtual_chassis_member=true',
      'mac_address=00:11:22:33:44:55',
      'created_by_request=00000000-0000-4000-8000-000000000001',
    ]),
  )('reads few rows to build the page, and only indexes to count: %s', async (query) => {
    const { page, count, counted } = await costOf(query);
    expect(page).toBeLessThanOrEqual(maxPageBuffers);
    expect(count).toBeLessThanOrEqual(maxCountBuffers);
    expect(counted.filter((node) => !readsIndex(node)).map((node) => node['Node Type'])).toEqual([]);
  });

  it.each(
    selectEverySecondCase([
      ...texts('name', 'device-777', negative),
      ...texts('serial', 'S777', negative),
      ...texts('description', 'Number 777', negative),
      'q=device',
      'cf_code__n=code-7',
      'cf_slot__n=777',
      'cf_code__ic=ode-77',
      'cf_slot__lt=50',
      'has_primary_ip=false',
      'position__empty=true',
      `created__gte=${recently}`,
      `last_updated__gte=${recently}`,
    ]),
  )('reads few rows for the page, and the table once for the count: %s', async (query) => {
    const { page, count } = await costOf(query);
    expect(page).toBeLessThanOrEqual(maxPageBuffers);
    expect(count).toBeLessThanOrEqual(tablePages);
  });

  it.each(selectEverySecondCase(['tenant', '-tenant', 'site', 'rack', 'role', '-device_type', 'platform']))(
    'reads related rows only for the objects of a middle page: ordering=%s',
    async (order) => {
      const { choosing } = await statementsOf(test, `dcim/devices/?limit=50&offset=24000&ordering=${order}`);
      const nodes = nodesOutsideAggregates(await planOf(choosing));
      const read = nodes.filter((node) => node['Relation Name'] === 'dcim_device');
      const rows = read.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);
      expect(read.length).toBeGreaterThan(0);
      // One of 20 roles or platforms has at most 2,500 devices.
      expect(rows).toBeLessThan(3000);
    },
  );

  it.each(
    selectEverySecondCase([
      ['dcim/devices', 'offset=25000&ordering=primary_ip4'],
      ['dcim/devices', 'offset=49000&ordering=primary_ip4'],
      ['dcim/devices', 'offset=25000&ordering=-primary_ip4'],
      ['dcim/devices', 'offset=25000&ordering=primary_ip6'],
      ['dcim/devices', 'offset=25000&ordering=oob_ip'],
      ['dcim/devices', 'offset=25000&ordering=virtual_chassis'],
      ['virtualization/virtual-machines', 'offset=2000&ordering=primary_ip4'],
      ['virtualization/virtual-machines', 'offset=2000&ordering=primary_ip6'],
    ]),
  )('skips and counts the rows before a far page in an index alone: %s/?%s', async (path, query) => {
    const { choosing } = await statementsOf(test, `${path}/?limit=50&${query}`);
    const nodes = nodesOf(await planOf(choosing)).filter((node) => node['Actual Rows'] * node['Actual Loops'] > 50);
    const read = nodes.filter((node) =>
      /^(dcim_device|virtualization_virtualmachine|ipam_ipaddress)$/.test(node['Relation Name'] ?? ''),
    );
    expect(read.length).toBeGreaterThan(0);
    expect(new Set(read.map((node) => node['Node Type']))).toEqual(new Set(['Index Only Scan']));
  });

  // Without an index for the order, all rows are sorted.
  it.each(
    selectEverySecondCase([
      // Each device on the page has an address, which is read too.
      ['ordering=primary_ip4', maxPageBuffers],
      ...['role', 'device_type', 'location'].map((order) => [`ordering=${order}`, tablePages + 200] as const),
      ['offset=25000&ordering=tenant', tablePages + 500],
      ['offset=45000&ordering=-tenant', 6000],
      ['offset=48000&ordering=tenant', tablePages + 500],
      ...['status', 'serial', 'description'].map((order) => [`ordering=${order}`, tablePages + 200] as const),
      ['tenant=tenant-1', 8500],
      ['created__lt=2020-01-01', tablePages + 200],
      // These queries read the default order to its end, because the planner expects matches and there are none.
      ['name__empty=true', 51_000],
      ['description__ie=Number 777', 51_000],
      ['has_primary_ip=true', 51_000],
      ['interface_count__gt=5', 51_000],
      ['manufacturer__n=maker', 51_000],
    ] as const),
  )('reads at most the recorded number of PostgreSQL buffers: %s (%i buffers)', async (query, most) => {
    expect((await costOf(query)).page).toBeLessThanOrEqual(most);
  });

  it.each([
    ['ordering=tenant', 'r.name, t.id', 'tenancy_tenant'],
    ['ordering=-tenant', 'r.name DESC, t.id', 'tenancy_tenant'],
    ['ordering=platform,-id', 'r._sort, t.id DESC', 'dcim_platform'],
    ['ordering=-platform,name', 'r._sort DESC, t.name, t.id', 'dcim_platform'],
    ['ordering=-name', 't.name DESC, t.id', 'dcim_platform'],
    ['ordering=primary_ip4', 'host(r.address)::inet, masklen(r.address), t.id', 'ipam_ipaddress'],
    ['ordering=-primary_ip4', 'host(r.address)::inet DESC, masklen(r.address) DESC, t.id', 'ipam_ipaddress'],
  ])(
    'returns the same rows as a sort of all devices, whichever end of the index is read: %s',
    async (query, order, table) => {
      const { pool } = test.inventory.database;
      const columns: Record<string, string> = { dcim_platform: 'platform_id', ipam_ipaddress: 'primary_ip4_id' };
      const column = columns[table] ?? 'tenant_id';
      const { rows } = await pool.query<{ id: string }>(
        `SELECT t.id FROM dcim_device t LEFT JOIN ${table} r ON r.id = t.${column} ORDER BY ${order}`,
      );
      const withReference = await pool.query(`SELECT FROM dcim_device WHERE ${column} IS NOT NULL`);
      const border = query.includes('=-') ? devices - (withReference.rowCount ?? 0) : (withReference.rowCount ?? 0);
      const offsets = [
        0,
        30,
        999,
        1000,
        border - 30,
        border,
        border + 1,
        24_990,
        25_010,
        49_960,
        49_990,
        50_000,
        60_000,
      ];
      for (const offset of offsets) {
        const path = `/api/dcim/devices/?brief=true&limit=50&offset=${offset}&${query}`;
        const { body } = await test.api.get<{ results: { id: number }[] }>(path);
        const expected = rows.slice(offset, offset + 50).map(({ id }) => Number(id));
        expect(body.results.map(({ id }) => id)).toEqual(expected);
      }
    },
  );
});

function literalOf(value: unknown): string {
  if (value === null) return 'NULL';
  const text = Array.isArray(value)
    ? `{${value.map((each) => JSON.stringify(String(each))).join(',')}}`
    : String(value);
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * Returns two numbers of buffers that a list request reads. In the first case, the statement is planned for its own
 * values. In the second case, the connection has already planned the same statement for values that match nearly all
 * rows.
 */
async function poisonedCost(common: string, rare: string) {
  const [{ choosing: first }, { choosing: last }] = [await statementsOf(test, common), await statementsOf(test, rare)];
  const explain = 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON)';
  const client = await test.inventory.database.pool.connect();
  try {
    const { rows } = await client.query(`${explain} ${last.text}`, last.values);
    const alone = buffersOf(rows[0]['QUERY PLAN'][0].Plan);
    if (last.planned === 'each time') return { alone, poisoned: alone };
    expect(first.text).toBe(last.text);
    for (let n = 0; n < 8; n += 1) await client.query({ name: 'poisoned', text: first.text, values: first.values });
    const executed = await client.query(`${explain} EXECUTE poisoned(${last.values.map(literalOf).join(',')})`);
    return { alone, poisoned: buffersOf(executed.rows[0]['QUERY PLAN'][0].Plan) };
  } finally {
    client.release(true);
  }
}

describe('GET /api/dcim/devices/ with a filter', () => {
  it.each(
    selectEverySecondCase([
      'site_id=7',
      'site_id=7&limit=7&offset=3&ordering=-name',
      'status=active&limit=20&offset=33330&ordering=tenant',
      'status=failed&limit=50&start=20000',
      'name__regex=^device-77[0-9]$',
      'name=nonesuch',
      'site=nonesuch',
    ]),
  )('returns the same page or error when SQL first selects ids and then reads rows: %s', async (query) => {
    const path = `/api/dcim/devices/?${query}`;
    const { choosing, reading } = await statementsOf(test, `dcim/devices/?${query}`);
    // The statement with the long shape gets only ids.
    if (!query.includes('nonesuch')) expect(reading).toMatchObject({ values: [expect.any(String), expect.any(Array)] });
    expect(choosing.text.length).toBeLessThan(2000);
    const { body } = await test.api.get(path);
    const small = vi.spyOn(LargeTableDetector.prototype, 'isLargeTable').mockResolvedValue(false);
    const single = await test.api.get(path);
    small.mockRestore();
    expect(body).toEqual(single.body);
  });

  it('reads the rows of a page in the database snapshot in which the ids were selected', async () => {
    const { database } = test.inventory;
    const original = database.inTransaction.bind(database);
    const rename = (name: string): Promise<unknown> =>
      database.pool.query('UPDATE dcim_device SET name = $1 WHERE id = 7', [name]);
    const { rows } = await database.pool.query<{ name: string }>('SELECT name FROM dcim_device WHERE id = 7');
    const name = rows[0]?.name ?? '';
    const renaming = vi.spyOn(database, 'inTransaction').mockImplementationOnce((run, options) =>
      original(async (tx) => {
        const finish = tx.finish.bind(tx);
        vi.spyOn(tx, 'finish').mockImplementation(async (statement, values) => {
          await rename('renamed');
          return finish(statement, values);
        });
        return run(tx);
      }, options),
    );
    const { body } = await test.api.get<{ results: unknown[] }>(`/api/dcim/devices/?name=${name}`);
    renaming.mockRestore();
    await rename(name);
    expect(body.results).toMatchObject([{ id: 7, name }]);
  });
});

describe('GET of a list whose cached plan expected values that match nearly all rows', () => {
  it.each(
    selectEverySecondCase([
      ['ipam/prefixes/?within=10.0.0.0/8', 'ipam/prefixes/?within=192.0.2.0/24'],
      ['ipam/ip-addresses/?parent=10.0.0.0/8', 'ipam/ip-addresses/?parent=10.1.0.0/28'],
      ['ipam/ip-ranges/?parent=10.0.0.0/8', 'ipam/ip-ranges/?parent=10.1.0.0/28'],
      ['dcim/devices/?status=active', 'dcim/devices/?status=failed'],
      ['dcim/devices/?tag=common', 'dcim/devices/?tag=scarce'],
      ['dcim/devices/?id__gte=1', 'dcim/devices/?id__gte=49990'],
      ['dcim/devices/?created__gte=2000-01-01', 'dcim/devices/?created__gte=2999-01-01'],
      ['dcim/devices/?tenant_id=1', 'dcim/devices/?tenant_id=9999'],
    ]),
  )('reads about as many rows as with a plan for its own values: %s, then %s', async (common, rare) => {
    const { alone, poisoned } = await poisonedCost(common, rare);
    expect(poisoned).toBeLessThanOrEqual(2 * alone + 100);
  });
});

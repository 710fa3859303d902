import { join } from 'node:path';
import pg from 'pg';
import { type MeasuredComparison, type ComparisonResult, measureComparison } from './compare-with-baseline.js';
import { type LoadRequest, measureRequestsPerSecond } from './measure-load.js';
import { type ServerProcess, startServerProcess } from './server-process.js';
import { runAdminCommand, repositoryRoot, type BenchmarkServices } from './benchmark-services.js';

const PREFIX_LIST_PATH = '/api/ipam/prefixes/?limit=50';
const PREFIX_LOAD_SETTINGS = { connections: 16, seconds: 3 };
/** Number of warm-up runs of the inventory service and of the baseline server, about 6,000 requests in total. */
const WARM_UP_RUN_COUNT = 4;

/** SQL statements that insert 10,000 prefixes, each with one of 10 VRFs, tenants and roles. */
const SEED_PREFIXES_STATEMENTS = [
  `INSERT INTO ipam_vrf (name, rd) SELECT 'VRF ' || n, '65000:' || n FROM generate_series(1, 10) n`,
  `INSERT INTO tenancy_tenant (name, slug) SELECT 'Tenant ' || n, 'tenant-' || n FROM generate_series(1, 10) n`,
  `INSERT INTO ipam_role (name, slug) SELECT 'Role ' || n, 'role-' || n FROM generate_series(1, 10) n`,
  `INSERT INTO ipam_prefix (prefix, vrf_id, tenant_id, role_id, description)
   SELECT cidr(format('10.%s.%s.0/24', n / 256, n % 256)),
     (SELECT id FROM ipam_vrf WHERE rd = '65000:' || (n % 10 + 1)),
     (SELECT id FROM tenancy_tenant WHERE slug = 'tenant-' || (n % 10 + 1)),
     (SELECT id FROM ipam_role WHERE slug = 'role-' || (n % 10 + 1)),
     'Network number ' || n
   FROM generate_series(0, 9999) n`,
];

interface ProductAndBaselineServers {
  readonly product: ServerProcess;
  readonly baseline: ServerProcess;
  readonly authorization: string;
}

async function seedPrefixes(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of SEED_PREFIXES_STATEMENTS) {
    await client.query(statement);
  }
  await client.query('VACUUM ANALYZE');
  await client.end();
}

/** Checks that the inventory service and the baseline server return the same bytes, except for the origin in URLs. */
async function assertSameResponseBytes({ product, baseline, authorization }: ProductAndBaselineServers): Promise<void> {
  const bodyOf = async (origin: string, headers: Record<string, string>): Promise<string> =>
    (await (await fetch(`${origin}${PREFIX_LIST_PATH}`, { headers })).text()).replaceAll(origin, '');
  const [ours, theirs] = await Promise.all([bodyOf(product.origin, { authorization }), bodyOf(baseline.origin, {})]);
  const parsed = [ours, theirs].map((text) => JSON.stringify(JSON.parse(text)));
  if (parsed[0] !== parsed[1]) {
    throw new Error(`the two servers respond differently:\n${parsed[0]?.slice(0, 1500)}\n${parsed[1]?.slice(0, 1500)}`);
  }
}

let nextPrefixNumber = 0;

/** Returns the request body for a new /28 prefix. Prefixes are assigned in sequence from 20.0.0.0 on. */
function createPrefixRequestJson(): string {
  const n = nextPrefixNumber;
  nextPrefixNumber += 1;
  return JSON.stringify({
    prefix: `${20 + (n >> 20)}.${(n >> 12) & 255}.${(n >> 4) & 255}.${(n & 15) * 16}/28`,
    description: `Created as number ${n}`,
  });
}

function createInventoryComparisons({
  product,
  baseline,
  authorization,
}: ProductAndBaselineServers): MeasuredComparison[] {
  const rate = (origin: string, request: LoadRequest) => () =>
    measureRequestsPerSecond(origin, request, PREFIX_LOAD_SETTINGS);
  const list = { method: 'GET', path: PREFIX_LIST_PATH, expectStatus: 200 } as const;
  const create = {
    method: 'POST',
    path: '/api/ipam/prefixes/',
    body: createPrefixRequestJson,
    expectStatus: 201,
  } as const;
  const json = { 'content-type': 'application/json' };
  return [
    {
      title: 'Page of 50 of 10,000 prefixes with three relations, with count',
      unit: 'requests/s',
      product: rate(product.origin, { ...list, headers: { authorization } }),
      baseline: rate(baseline.origin, list),
      target: { atLeast: 1.0 },
    },
    {
      title: 'Create a prefix with its change record and outbox row',
      unit: 'requests/s',
      product: rate(product.origin, { ...create, headers: { ...json, authorization } }),
      baseline: rate(baseline.origin, { ...create, headers: json }),
      target: { atLeast: 0.7 },
    },
  ];
}

/**
 * Measures a page of the prefix list and the creation of a prefix, compared with the baseline server on the same
 * database.
 */
export async function measurePrefixListAndCreation(stack: BenchmarkServices): Promise<ComparisonResult[]> {
  const env = stack.envOf('inventory');
  runAdminCommand('inventory', env, ['create-superuser', 'bench', '--password', 'Benchmark-password-1']);
  const token = /nbt_\S+/.exec(runAdminCommand('inventory', env, ['create-token', 'bench']))?.[0] ?? '';
  await seedPrefixes(env['DATABASE_URL'] ?? '');
  const product = await startServerProcess(join(repositoryRoot, 'apps/inventory/dist/bundle.js'), env, '/health/ready');
  const baseline = await startServerProcess(
    join(import.meta.dirname, 'baselines/inventory-server.js'),
    env,
    '/health/ready',
  );
  const sides: ProductAndBaselineServers = { product, baseline, authorization: `Bearer ${token}` };
  try {
    await assertSameResponseBytes(sides);
    const results: ComparisonResult[] = [];
    for (const comparison of createInventoryComparisons(sides)) {
      results.push(await measureComparison(comparison, WARM_UP_RUN_COUNT));
    }
    return results;
  } finally {
    await Promise.all([product.stop(), baseline.stop()]);
  }
}

import { join } from 'node:path';
import { type ComparisonResult, measureComparison, type LimitResult } from './compare-with-baseline.js';
import { measureFilteredListPlans } from './inventory-lists/list-query-plans.js';
import {
  publishedInventoryListsSize,
  INTERFACES_PER_DEVICE,
  type InventoryListsSize,
  seedInventoryForLists,
} from './inventory-lists/seed-inventory-lists.js';
import { measureRequestsPerSecond } from './measure-load.js';
import { type ServerProcess, startServerProcess } from './server-process.js';
import { runAdminCommand, repositoryRoot, type BenchmarkServices } from './benchmark-services.js';

const LIST_LOAD_SETTINGS = { connections: 16, seconds: 3 };
const OBJECTS_PER_LIST_PAGE = 50;
const LATE_PAGE_NUMBER = 1000;

interface ProductAndBaselineServers {
  readonly product: ServerProcess;
  readonly baseline: ServerProcess;
  readonly authorization: string;
}

/** Lists of inventory objects that the benchmark measures, with the number of listed objects per device. */
const measuredInventoryLists = [
  { title: 'devices', path: '/api/dcim/devices/', perDevice: 1 },
  { title: 'interfaces', path: '/api/dcim/interfaces/', perDevice: INTERFACES_PER_DEVICE },
  { title: 'addresses', path: '/api/ipam/ip-addresses/', perDevice: INTERFACES_PER_DEVICE },
  { title: 'prefixes', path: '/api/ipam/prefixes/', perDevice: 1 },
] as const;

/**
 * Measures lists of a large inventory. Compares pages of 50 complete objects with a baseline server that formats the
 * same rows. The pages are the first with its count, and the thousandth by id. Also checks that filtered lists read
 * their rows by indexes.
 */
export async function* measureInventoryLists(
  stack: BenchmarkServices,
  size: InventoryListsSize = publishedInventoryListsSize,
): AsyncGenerator<(ComparisonResult | LimitResult)[]> {
  const env = { ...stack.envOf('inventory'), DATABASE_URL: stack.services.postgresUrl('bench_inventory_lists') };
  runAdminCommand('inventory', env, ['create-superuser', 'bench', '--password', 'Benchmark-password-1']);
  const token = /nbt_\S+/.exec(runAdminCommand('inventory', env, ['create-token', 'bench']))?.[0] ?? '';
  const authorization = `Bearer ${token}`;
  await seedInventoryForLists(env.DATABASE_URL, size);
  yield await measureFilteredListPlans(env, authorization);
  const product = await startServerProcess(join(repositoryRoot, 'apps/inventory/dist/bundle.js'), env, '/health/ready');
  const baseline = await startServerProcess(
    join(import.meta.dirname, 'baselines/lists-server.js'),
    env,
    '/health/ready',
  );
  const sides: ProductAndBaselineServers = { product, baseline, authorization };
  try {
    for (const { title, path, perDevice } of measuredInventoryLists) {
      const total = size.devices * perDevice;
      const page = Math.min(LATE_PAGE_NUMBER, Math.floor(total / OBJECTS_PER_LIST_PAGE));
      const of = `of ${total.toLocaleString('en')} ${title}`;
      yield [
        await compareInventoryList(
          sides,
          `First ${OBJECTS_PER_LIST_PAGE} ${of}, with count`,
          `${path}?limit=${OBJECTS_PER_LIST_PAGE}`,
        ),
      ];
      const start = (page - 1) * OBJECTS_PER_LIST_PAGE + 1;
      yield [
        await compareInventoryList(
          sides,
          `Page ${page} ${of}, by id`,
          `${path}?limit=${OBJECTS_PER_LIST_PAGE}&start=${start}`,
        ),
      ];
    }
  } finally {
    await Promise.all([product.stop(), baseline.stop()]);
  }
}

async function compareInventoryList(
  sides: ProductAndBaselineServers,
  title: string,
  path: string,
): Promise<ComparisonResult> {
  const { product, baseline, authorization } = sides;
  await assertSameResponseBytes(sides, path);
  const list = { method: 'GET', path, expectStatus: 200 } as const;
  return measureComparison({
    title,
    unit: 'requests/s',
    product: () =>
      measureRequestsPerSecond(product.origin, { ...list, headers: { authorization } }, LIST_LOAD_SETTINGS),
    baseline: () => measureRequestsPerSecond(baseline.origin, list, LIST_LOAD_SETTINGS),
    target: { atLeast: 1 },
  });
}

/**
 * Checks that the inventory service and the baseline server return the same response bytes, except for whitespace and
 * the origin in URLs.
 */
async function assertSameResponseBytes(
  { product, baseline, authorization }: ProductAndBaselineServers,
  path: string,
): Promise<void> {
  const bodyOf = async (origin: string, headers: Record<string, string>): Promise<string> => {
    const text = await (await fetch(`${origin}${path}`, { headers })).text();
    return JSON.stringify(JSON.parse(text.replaceAll(origin, '')));
  };
  const [ours, theirs] = await Promise.all([bodyOf(product.origin, { authorization }), bodyOf(baseline.origin, {})]);
  if (ours === theirs) return;
  const at = [...ours].findIndex((letter, index) => letter !== theirs[index]);
  const near = (text: string): string => text.slice(Math.max(0, at - 200), at + 200);
  throw new Error(`${path}: the two sides differ at ${at}:\n${near(ours)}\n${near(theirs)}`);
}

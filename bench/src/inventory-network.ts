import { join } from 'node:path';
import {
  compare,
  type Comparison,
  type ComparisonResult,
  computeComparison,
  type LimitResult,
  compareWithLimit,
  RUNS,
} from './compare.js';
import { BareRows, type Table } from './inventory-network/bare-rows.js';
import { fullRack } from './inventory-network/full-rack.js';
import { manyCables } from './inventory-network/many-cables.js';
import { NetworkClient } from './inventory-network/network-client.js';
import { createChain, panelMs } from './inventory-network/panels.js';
import { requestsPerSecond } from './measure.js';
import { startServer } from './process.js';
import { admin, root, type Stack } from './benchmark-services.js';

const DEVICES = 100;
const CABLES = 1_000;
const HOPS = 10;
const WARM_UPS = 3;
const TRACES = { connections: 16, seconds: 3 };

/** Tables for change records and outbox rows, in the order of insertion. */
const recordTables: readonly Table[] = [
  { name: 'core_objectchange', key: 'id' },
  { name: 'queue.outbox', key: 'id' },
];
const deviceTables: readonly Table[] = [
  { name: 'dcim_device', key: 'id' },
  { name: 'dcim_consoleport', key: 'id' },
  { name: 'dcim_powerport', key: 'id' },
  { name: 'dcim_interface', key: 'id' },
];
const cableTables: readonly Table[] = [
  { name: 'dcim_cable', key: 'id' },
  { name: 'dcim_cabletermination', key: 'id' },
  { name: 'dcim_cablepath', key: 'id' },
  { name: 'dcim_cablepathnode', key: 'path_id' },
];

/**
 * Measures devices with components, cables with their paths, and panels of many ports. The baseline writes the same rows
 * by prepared statements, one for each table, in one transaction.
 */
export async function* inventoryNetworkFigures(
  stack: Stack,
): AsyncGenerator<readonly (ComparisonResult | LimitResult)[]> {
  const url = stack.services.postgresUrl('bench_inventory_network');
  // A process without background work leaves the outbox rows, so that the baseline can copy them.
  const env = { ...stack.envOf('inventory'), DATABASE_URL: url, ROLE: 'api' };
  admin('inventory', env, ['create-superuser', 'bench', '--password', 'Benchmark-password-1']);
  const token = /nbt_\S+/.exec(admin('inventory', env, ['create-token', 'bench']))?.[0] ?? '';
  const script = join(root, 'apps/inventory/dist/bundle.js');
  const server = await startServer(script, env, '/health/ready');
  const uncached = await startServer(script, { ...env, RESPONSE_MEMORY_BYTES: '0' }, '/health/ready');
  const baseline = await startServer(join(import.meta.dirname, 'baselines/trace-server.js'), env, '/health/ready');
  const rows = await BareRows.connect(url);
  try {
    const client = await NetworkClient.prepare(server.origin, token);
    yield [await devices(client, rows)];
    yield await cables(client, rows);
    yield await traces(client, uncached.origin, baseline.origin);
    yield [await panels(client)];
    yield [await fullRack(client, script, env), await manyCables(client, env)];
  } finally {
    await rows.close();
    await Promise.all([server.stop(), uncached.stop(), baseline.stop()]);
  }
}

async function devices(client: NetworkClient, rows: BareRows): Promise<ComparisonResult> {
  const [product, baseline]: [number[], number[]] = [[], []];
  for (let run = 0; run < WARM_UPS + RUNS; run += 1) {
    const marks = await rows.highestKeys([...deviceTables, ...recordTables]);
    const { ids, ms } = await client.createDevices(DEVICES);
    const added = await rows.rowsAddedSince(marks);
    await client.remove('devices', ids);
    // The change records and outbox rows of the creation are still there.
    await rows.remove(added);
    const bareMs = await rows.insert(added);
    await rows.remove(added);
    if (run < WARM_UPS) continue;
    product.push((DEVICES / ms) * 1000);
    baseline.push((DEVICES / bareMs) * 1000);
  }
  const title = `Create ${DEVICES} devices with 52 components each in one request, with change records and outbox rows`;
  return computeComparison({ title, unit: 'devices/s', target: { atLeast: 0.5 } }, product, baseline);
}

async function cables(client: NetworkClient, rows: BareRows): Promise<ComparisonResult[]> {
  const interfaces = await client.interfacesOf(2 * CABLES);
  const rates = { create: [[], []] as [number[], number[]], remove: [[], []] as [number[], number[]] };
  for (let run = 0; run < WARM_UPS + RUNS; run += 1) {
    const before = await rows.highestKeys([...cableTables, ...recordTables]);
    const { ids, ms: createMs } = await client.createCables(interfaces);
    const added = await rows.rowsAddedSince(before);
    const after = await rows.highestKeys(recordTables);
    const removeMs = await client.remove('cables', ids);
    const recorded = await rows.rowsAddedSince(after);
    await rows.remove([...added, ...recorded]);
    const bareCreateMs = await rows.insert(added);
    const bareRemoveMs = await rows.remove(added, { tables: cableTables, record: recorded });
    if (run < WARM_UPS) continue;
    for (const [side, ms] of [createMs, bareCreateMs].entries()) rates.create[side]?.push((CABLES / ms) * 1000);
    for (const [side, ms] of [removeMs, bareRemoveMs].entries()) rates.remove[side]?.push((CABLES / ms) * 1000);
  }
  const count = CABLES.toLocaleString('en');
  return (['create', 'remove'] as const).map((verb) =>
    computeComparison(
      { title: `Bulk ${verb} of ${count} patch cables with their paths`, unit: 'cables/s', target: { atLeast: 0.3 } },
      ...rates[verb],
    ),
  );
}

/**
 * Compares traces from memory and from the database with the baseline.
 *
 * @throws Error if product and baseline return different bytes, apart from whitespace and the origin
 */
async function traces(client: NetworkClient, uncached: string, baseline: string): Promise<ComparisonResult[]> {
  const path = `/api/dcim/interfaces/${await createChain(client, HOPS)}/trace/`;
  const { origin, headers } = client;
  const bytesOf = async (from: string): Promise<string> => {
    const text = await (await fetch(`${from}${path}`, { headers })).text();
    return JSON.stringify(JSON.parse(text.replaceAll(from, '')));
  };
  const [theirs, ...ours] = [await bytesOf(baseline), await bytesOf(origin), await bytesOf(uncached)];
  if (ours.some((text) => text !== theirs)) throw new Error(`The traces differ:\n${ours.join('\n')}\n${theirs}`);
  const list = { method: 'GET', path, expectStatus: 200 } as const;
  const title = `Trace a path of ${HOPS} hops`;
  const compared = (from: string, more: Pick<Comparison, 'title' | 'target'>): Promise<ComparisonResult> =>
    compare(
      {
        ...more,
        unit: 'requests/s',
        product: () => requestsPerSecond(from, { ...list, headers }, TRACES),
        baseline: () => requestsPerSecond(baseline, list, TRACES),
      },
      WARM_UPS,
    );
  return [
    await compared(origin, { title, target: { atLeast: 0.7 } }),
    await compared(uncached, { title: `${title}, without responses in memory`, target: null }),
  ];
}

async function panels(client: NetworkClient): Promise<LimitResult> {
  await panelMs(client, 108);
  const ratios: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const small = await panelMs(client, 108);
    ratios.push((await panelMs(client, 432)) / small);
  }
  return compareWithLimit(
    'Map, cable and read a panel of 432 ports, against one of 108 ports',
    'times the time',
    ratios,
    4.5,
  );
}

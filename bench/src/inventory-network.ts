import { join } from 'node:path';
import {
  measureComparison,
  type MeasuredComparison,
  type ComparisonResult,
  computeComparison,
  type LimitResult,
  compareWithLimit,
  MEASURED_RUN_COUNT,
} from './compare-with-baseline.js';
import { BaselineRowWriter, type TableWithIncreasingKey } from './inventory-network/baseline-row-writer.js';
import { countFullRackStatements } from './inventory-network/measure-full-rack.js';
import { measurePathRebuild } from './inventory-network/insert-many-cables.js';
import { InventoryNetworkClient } from './inventory-network/network-client.js';
import { createPathWithManyCables, measurePatchPanelMs } from './inventory-network/measure-patch-panels.js';
import { measureRequestsPerSecond } from './measure-load.js';
import { startServerProcess } from './server-process.js';
import { runAdminCommand, repositoryRoot, type BenchmarkServices } from './benchmark-services.js';

const DEVICE_COUNT = 100;
const CABLE_COUNT = 1_000;
const CABLE_PATH_HOP_COUNT = 10;
const WARM_UP_RUN_COUNT = 3;
const TRACE_LOAD_SETTINGS = { connections: 16, seconds: 3 };

/** Tables for change records and outbox rows, in the order in which rows are inserted. */
const changeRecordTables: readonly TableWithIncreasingKey[] = [
  { name: 'core_objectchange', key: 'id' },
  { name: 'queue.outbox', key: 'id' },
];
const deviceTables: readonly TableWithIncreasingKey[] = [
  { name: 'dcim_device', key: 'id' },
  { name: 'dcim_consoleport', key: 'id' },
  { name: 'dcim_powerport', key: 'id' },
  { name: 'dcim_interface', key: 'id' },
];
const cableTables: readonly TableWithIncreasingKey[] = [
  { name: 'dcim_cable', key: 'id' },
  { name: 'dcim_cabletermination', key: 'id' },
  { name: 'dcim_cablepath', key: 'id' },
  { name: 'dcim_cablepathnode', key: 'path_id' },
];

/**
 * Measures writes and reads of devices with components, cables with their paths, and panels of many ports. The baseline
 * writes the same rows in one transaction, with one prepared statement for each table.
 */
export async function* measureInventoryNetwork(
  stack: BenchmarkServices,
): AsyncGenerator<readonly (ComparisonResult | LimitResult)[]> {
  const url = stack.services.postgresUrl('bench_inventory_network');
  // A process without background work leaves the outbox rows, so that the baseline can copy them.
  const env = { ...stack.envOf('inventory'), DATABASE_URL: url, ROLE: 'api' };
  runAdminCommand('inventory', env, ['create-superuser', 'bench', '--password', 'Benchmark-password-1']);
  const token = /nbt_\S+/.exec(runAdminCommand('inventory', env, ['create-token', 'bench']))?.[0] ?? '';
  const script = join(repositoryRoot, 'apps/inventory/dist/bundle.js');
  const server = await startServerProcess(script, env, '/health/ready');
  const uncached = await startServerProcess(script, { ...env, RESPONSE_MEMORY_BYTES: '0' }, '/health/ready');
  const baseline = await startServerProcess(
    join(import.meta.dirname, 'baselines/trace-server.js'),
    env,
    '/health/ready',
  );
  const rows = await BaselineRowWriter.connect(url);
  try {
    const client = await InventoryNetworkClient.createWithBasicObjects(server.origin, token);
    yield [await compareDeviceCreation(client, rows)];
    yield await compareCableWrites(client, rows);
    yield await compareCablePathTraces(client, uncached.origin, baseline.origin);
    yield [await measurePatchPanels(client)];
    yield [await countFullRackStatements(client, script, env), await measurePathRebuild(client, env)];
  } finally {
    await rows.close();
    await Promise.all([server.stop(), uncached.stop(), baseline.stop()]);
  }
}

async function compareDeviceCreation(
  client: InventoryNetworkClient,
  rows: BaselineRowWriter,
): Promise<ComparisonResult> {
  const [product, baseline]: [number[], number[]] = [[], []];
  for (let run = 0; run < WARM_UP_RUN_COUNT + MEASURED_RUN_COUNT; run += 1) {
    const marks = await rows.readHighestKeys([...deviceTables, ...changeRecordTables]);
    const { ids, ms } = await client.createDevices(DEVICE_COUNT);
    const added = await rows.readRowsAddedSince(marks);
    await client.deleteObjects('devices', ids);
    // The change records and outbox rows of the creation are still there.
    await rows.deleteRows(added);
    const bareMs = await rows.insertRows(added);
    await rows.deleteRows(added);
    if (run < WARM_UP_RUN_COUNT) continue;
    product.push((DEVICE_COUNT / ms) * 1000);
    baseline.push((DEVICE_COUNT / bareMs) * 1000);
  }
  const title = `Create ${DEVICE_COUNT} devices with 52 components each in one request, with change records and outbox rows`;
  return computeComparison({ title, unit: 'devices/s', target: { atLeast: 0.5 } }, product, baseline);
}

async function compareCableWrites(
  client: InventoryNetworkClient,
  rows: BaselineRowWriter,
): Promise<ComparisonResult[]> {
  const interfaces = await client.createInterfacesOnNewDevice(2 * CABLE_COUNT);
  const rates = { create: [[], []] as [number[], number[]], remove: [[], []] as [number[], number[]] };
  for (let run = 0; run < WARM_UP_RUN_COUNT + MEASURED_RUN_COUNT; run += 1) {
    const before = await rows.readHighestKeys([...cableTables, ...changeRecordTables]);
    const { ids, ms: createMs } = await client.createCables(interfaces);
    const added = await rows.readRowsAddedSince(before);
    const after = await rows.readHighestKeys(changeRecordTables);
    const removeMs = await client.deleteObjects('cables', ids);
    const recorded = await rows.readRowsAddedSince(after);
    await rows.deleteRows([...added, ...recorded]);
    const bareCreateMs = await rows.insertRows(added);
    const bareRemoveMs = await rows.deleteRows(added, { tables: cableTables, record: recorded });
    if (run < WARM_UP_RUN_COUNT) continue;
    for (const [side, ms] of [createMs, bareCreateMs].entries()) rates.create[side]?.push((CABLE_COUNT / ms) * 1000);
    for (const [side, ms] of [removeMs, bareRemoveMs].entries()) rates.remove[side]?.push((CABLE_COUNT / ms) * 1000);
  }
  const count = CABLE_COUNT.toLocaleString('en');
  return (['create', 'remove'] as const).map((verb) =>
    computeComparison(
      { title: `Bulk ${verb} of ${count} patch cables with their paths`, unit: 'cables/s', target: { atLeast: 0.3 } },
      ...rates[verb],
    ),
  );
}

/**
 * Compares cable path traces of the inventory service, both from its memory and from the database, with the baseline
 * server.
 *
 * @throws Error if product and baseline return different bytes, apart from whitespace and the origin
 */
async function compareCablePathTraces(
  client: InventoryNetworkClient,
  uncached: string,
  baseline: string,
): Promise<ComparisonResult[]> {
  const path = `/api/dcim/interfaces/${await createPathWithManyCables(client, CABLE_PATH_HOP_COUNT)}/trace/`;
  const { origin, requestHeaders: headers } = client;
  const bytesOf = async (from: string): Promise<string> => {
    const text = await (await fetch(`${from}${path}`, { headers })).text();
    return JSON.stringify(JSON.parse(text.replaceAll(from, '')));
  };
  const [theirs, ...ours] = [await bytesOf(baseline), await bytesOf(origin), await bytesOf(uncached)];
  if (ours.some((text) => text !== theirs)) throw new Error(`The traces differ:\n${ours.join('\n')}\n${theirs}`);
  const list = { method: 'GET', path, expectStatus: 200 } as const;
  const title = `Trace a path of ${CABLE_PATH_HOP_COUNT} hops`;
  const compared = (from: string, more: Pick<MeasuredComparison, 'title' | 'target'>): Promise<ComparisonResult> =>
    measureComparison(
      {
        ...more,
        unit: 'requests/s',
        product: () => measureRequestsPerSecond(from, { ...list, headers }, TRACE_LOAD_SETTINGS),
        baseline: () => measureRequestsPerSecond(baseline, list, TRACE_LOAD_SETTINGS),
      },
      WARM_UP_RUN_COUNT,
    );
  return [
    await compared(origin, { title, target: { atLeast: 0.7 } }),
    await compared(uncached, { title: `${title}, without responses in memory`, target: null }),
  ];
}

async function measurePatchPanels(client: InventoryNetworkClient): Promise<LimitResult> {
  await measurePatchPanelMs(client, 108);
  const ratios: number[] = [];
  for (let run = 0; run < MEASURED_RUN_COUNT; run += 1) {
    const small = await measurePatchPanelMs(client, 108);
    ratios.push((await measurePatchPanelMs(client, 432)) / small);
  }
  return compareWithLimit(
    'Map, cable and read a panel of 432 ports, against one of 108 ports',
    'times the time',
    ratios,
    4.5,
  );
}

import { join } from 'node:path';
import { type ComparisonResult, measureComparison } from './compare-with-baseline.js';
import { seedInventoryForLists } from './inventory-lists/seed-inventory-lists.js';
import { measureRequestsPerSecond } from './measure-load.js';
import { startServerProcess } from './server-process.js';
import { runAdminCommand, repositoryRoot, type BenchmarkServices } from './benchmark-services.js';

const MEASUREMENT_DURATION_SECONDS = 3;
const DEVICE_COUNT = 1000;
const deviceListPath = '/api/dcim/devices/?limit=50';

/**
 * Measured numbers of concurrent clients, with the required ratio to the baseline server. If eight clients send
 * requests concurrently, several requests share one check for changes.
 */
const measuredConcurrentClientCounts = [
  { connections: 1, atLeast: 0.7 },
  { connections: 8, atLeast: 1 },
] as const;

/**
 * Measures a list of 50 complete devices whose response is stored in memory, compared with a server that sends the same
 * bytes after `SELECT 1`.
 */
export async function* measureCachedDeviceListPage(stack: BenchmarkServices): AsyncGenerator<ComparisonResult[]> {
  const env = { ...stack.envOf('inventory'), DATABASE_URL: stack.services.postgresUrl('bench_inventory_pages') };
  runAdminCommand('inventory', env, ['create-superuser', 'bench', '--password', 'Benchmark-password-1']);
  const token = /nbt_\S+/.exec(runAdminCommand('inventory', env, ['create-token', 'bench']))?.[0] ?? '';
  const headers = { authorization: `Bearer ${token}` };
  await seedInventoryForLists(env.DATABASE_URL, { devices: DEVICE_COUNT });
  const product = await startServerProcess(join(repositoryRoot, 'apps/inventory/dist/bundle.js'), env, '/health/ready');
  const baseline = await startServerProcess(
    join(import.meta.dirname, 'baselines/stored-bytes-server.js'),
    env,
    '/health/ready',
  );
  try {
    const bytes = await (await fetch(product.origin + deviceListPath, { headers })).text();
    const stored = { method: 'PUT', body: bytes, headers: { 'content-type': 'text/plain' } };
    await fetch(`${baseline.origin}/stored`, stored);
    if ((await (await fetch(`${baseline.origin}/stored`)).text()) !== bytes)
      throw new Error('The baseline has other bytes');
    const load = { method: 'GET', expectStatus: 200 } as const;
    for (const { connections, atLeast } of measuredConcurrentClientCounts) {
      const settings = { connections, seconds: MEASUREMENT_DURATION_SECONDS };
      const title = `Cached list of 50 devices (${Math.round(bytes.length / 1000)} kB), ${connections} client(s)`;
      yield [
        await measureComparison({
          title,
          unit: 'requests/s',
          product: () => measureRequestsPerSecond(product.origin, { ...load, path: deviceListPath, headers }, settings),
          baseline: () => measureRequestsPerSecond(baseline.origin, { ...load, path: '/stored' }, settings),
          target: { atLeast },
        }),
      ];
    }
  } finally {
    await Promise.all([product.stop(), baseline.stop()]);
  }
}

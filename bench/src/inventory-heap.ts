import { join } from 'node:path';
import { Pool } from 'undici';
import { type LimitResult, compareWithLimit } from './compare-with-baseline.js';
import { findFreePort, startServerProcess } from './server-process.js';
import { runAdminCommand, repositoryRoot, type BenchmarkServices } from './benchmark-services.js';
import { V8InspectorClient } from './v8-inspector.js';

const INVENTORY_LIST_PATHS = [
  '/api/dcim/sites/?limit=50',
  '/api/ipam/prefixes/?limit=50',
  '/api/ipam/ip-addresses/?brief=true',
];
const CONCURRENT_CONNECTIONS = 16;

/** Number of measured list requests. Before the measurement, the benchmark sends a fifth of this number as warm-up. */
export const measuredListRequestCount = 100_000;

/** Measures the heap of the inventory service after garbage collection, before and after many list requests. */
export async function measureInventoryHeap(
  stack: BenchmarkServices,
  requests = measuredListRequestCount,
): Promise<LimitResult[]> {
  const env = { ...stack.envOf('inventory'), DATABASE_URL: stack.services.postgresUrl('bench_inventory_heap') };
  runAdminCommand('inventory', env, ['create-superuser', 'bench', '--password', 'Benchmark-password-1']);
  const token = /nbt_\S+/.exec(runAdminCommand('inventory', env, ['create-token', 'bench']))?.[0] ?? '';
  const port = await findFreePort();
  const script = join(repositoryRoot, 'apps/inventory/dist/bundle.js');
  const inspected = { ...env, NODE_OPTIONS: `--inspect=127.0.0.1:${port}` };
  const product = await startServerProcess(script, inspected, '/health/ready');
  try {
    const heap = await V8InspectorClient.connect(port);
    await requestInventoryLists(product.origin, token, requests / 5);
    const before = await heap.measureHeapMegabytesAfterGc();
    await requestInventoryLists(product.origin, token, requests);
    const growth = ((await heap.measureHeapMegabytesAfterGc()) / before - 1) * 100;
    heap.close();
    const title = `Growth of the heap after ${requests.toLocaleString('en')} lists, from ${before.toFixed(1)} MB after ${(requests / 5).toLocaleString('en')}`;
    return [compareWithLimit(title, '%', [growth], 10)];
  } finally {
    await product.stop();
  }
}

async function requestInventoryLists(origin: string, token: string, requests: number): Promise<void> {
  const pool = new Pool(origin, { connections: CONCURRENT_CONNECTIONS, pipelining: 1 });
  const headers = { authorization: `Bearer ${token}` };
  let left = requests;
  const loop = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const path = INVENTORY_LIST_PATHS[left % INVENTORY_LIST_PATHS.length] ?? '';
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
      if (statusCode !== 200) throw new Error(`${path} responded with ${statusCode}: ${await body.text()}`);
      await body.dump();
    }
  };
  try {
    await Promise.all(Array.from({ length: CONCURRENT_CONNECTIONS }, loop));
  } finally {
    await pool.close();
  }
}

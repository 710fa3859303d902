import { join } from 'node:path';
import { Pool, WebSocket } from 'undici';
import { type LimitResult, compareWithLimit } from './compare.js';
import { freePort, startServer } from './process.js';
import { admin, root, type Stack } from './benchmark-services.js';

const LIST_PATHS = ['/api/dcim/sites/?limit=50', '/api/ipam/prefixes/?limit=50', '/api/ipam/ip-addresses/?brief=true'];
const CONCURRENT_CONNECTIONS = 16;

/** Number of measured list requests. A fifth of this number is sent before as warm-up. */
export const fullRequests = 100_000;

/** Measures the heap of the inventory service after garbage collection, before and after many list requests. */
export async function inventoryHeapFigures(stack: Stack, requests = fullRequests): Promise<LimitResult[]> {
  const env = { ...stack.envOf('inventory'), DATABASE_URL: stack.services.postgresUrl('bench_inventory_heap') };
  admin('inventory', env, ['create-superuser', 'bench', '--password', 'Benchmark-password-1']);
  const token = /nbt_\S+/.exec(admin('inventory', env, ['create-token', 'bench']))?.[0] ?? '';
  const port = await freePort();
  const script = join(root, 'apps/inventory/dist/bundle.js');
  const inspected = { ...env, NODE_OPTIONS: `--inspect=127.0.0.1:${port}` };
  const product = await startServer(script, inspected, '/health/ready');
  try {
    const heap = await V8Inspector.connect(port);
    await readLists(product.origin, token, requests / 5);
    const before = await heap.megabytesAfterCollection();
    await readLists(product.origin, token, requests);
    const growth = ((await heap.megabytesAfterCollection()) / before - 1) * 100;
    heap.close();
    const title = `Growth of the heap after ${requests.toLocaleString('en')} lists, from ${before.toFixed(1)} MB after ${(requests / 5).toLocaleString('en')}`;
    return [compareWithLimit(title, '%', [growth], 10)];
  } finally {
    await product.stop();
  }
}

async function readLists(origin: string, token: string, requests: number): Promise<void> {
  const pool = new Pool(origin, { connections: CONCURRENT_CONNECTIONS, pipelining: 1 });
  const headers = { authorization: `Bearer ${token}` };
  let left = requests;
  const loop = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const path = LIST_PATHS[left % LIST_PATHS.length] ?? '';
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

/** Controls V8 of another process through its debugger protocol, so that the measured service runs unmodified. */
class V8Inspector {
  private lastId = 0;

  private constructor(private readonly socket: WebSocket) {}

  static async connect(port: number): Promise<V8Inspector> {
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
      webSocketDebuggerUrl: string;
    }[];
    const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '');
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', reject, { once: true });
    });
    return new V8Inspector(socket);
  }

  async megabytesAfterCollection(): Promise<number> {
    // The second collection removes objects that weak references and finalizers retained.
    await this.call('HeapProfiler.collectGarbage');
    await this.call('HeapProfiler.collectGarbage');
    const { usedSize } = (await this.call('Runtime.getHeapUsage')) as { usedSize: number };
    return usedSize / 1024 / 1024;
  }

  close(): void {
    this.socket.close();
  }

  private call(method: string): Promise<unknown> {
    this.lastId += 1;
    const id = this.lastId;
    return new Promise((resolve) => {
      const onMessage = ({ data }: { data: unknown }): void => {
        const response = JSON.parse(String(data)) as { id?: number; result?: unknown };
        if (response.id !== id) return;
        this.socket.removeEventListener('message', onMessage);
        resolve(response.result);
      };
      this.socket.addEventListener('message', onMessage);
      this.socket.send(JSON.stringify({ id, method }));
    });
  }
}

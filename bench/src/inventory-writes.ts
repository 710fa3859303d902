import { join } from 'node:path';
import pg from 'pg';
import {
  measureComparison,
  type ComparisonResult,
  computeComparison,
  MEASURED_RUN_COUNT,
} from './compare-with-baseline.js';
import { requestsPerSecond } from './measure-load.js';
import { type ServerProcess, startServer } from './server-process.js';
import { runAdminCommand, repositoryRoot, type BenchmarkServices } from './benchmark-services.js';

const ADDRESSES_PATH = '/api/ipam/ip-addresses/';
const MEASURED_SECONDS = 3;
const ADDRESSES_PER_BATCH = 1_000;
/** Number of warm-up runs, some thousand requests, after which V8 has compiled the code of both servers. */
const WARM_UP_RUNS = 4;
/** Number of warm-up runs of requests with a thousand objects each. */
const BATCH_WARM_UP_RUNS = 12;

/**
 * Parent networks of the IP addresses that each server allocates. The networks are separate, so that neither server
 * searches among addresses of the other server.
 */
const NETWORKS_BY_SIDE = { product: '11.0.0.0/8', baseline: '12.0.0.0/8' } as const;

interface MeasuredServer {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Id of the prefix from which one measured server allocates IP addresses. */
  readonly poolId: number;
}

/**
 * Measures writes of the inventory service: one address, a thousand addresses in one request, and allocations of
 * concurrent clients from one prefix.
 */
export async function* inventoryWritesFigures(stack: BenchmarkServices): AsyncGenerator<ComparisonResult[]> {
  const env = { ...stack.envOf('inventory'), DATABASE_URL: stack.services.postgresUrl('bench_inventory_writes') };
  runAdminCommand('inventory', env, ['create-superuser', 'bench', '--password', 'Benchmark-password-1']);
  const token = /nbt_\S+/.exec(runAdminCommand('inventory', env, ['create-token', 'bench']))?.[0] ?? '';
  const pools = await createPrefixPools(env.DATABASE_URL);
  const servers = await Promise.all([
    startServer(join(repositoryRoot, 'apps/inventory/dist/bundle.js'), env, '/health/ready'),
    startServer(join(import.meta.dirname, 'baselines/writes-server.js'), env, '/health/ready'),
  ]);
  const [product, baseline] = createMeasuredServers(servers, `Bearer ${token}`, pools);
  try {
    await assertSameKeys(product, baseline);
    yield [
      await measureComparison(
        {
          title: 'Create an address with its change record and outbox row',
          unit: 'requests/s',
          product: () => postsPerSecond(product, ADDRESSES_PATH, newAddressJson),
          baseline: () => postsPerSecond(baseline, ADDRESSES_PATH, newAddressJson),
          target: { atLeast: 0.7 },
        },
        WARM_UP_RUNS,
      ),
    ];
    yield await compareBatchWrites(product, baseline);
    const allocations = (side: MeasuredServer) => () =>
      postsPerSecond(side, `/api/ipam/prefixes/${side.poolId}/available-ips/`, () => '{}', 8);
    yield [
      await measureComparison(
        {
          title: 'Allocate addresses of one prefix, 8 clients',
          unit: 'allocations/s',
          product: allocations(product),
          baseline: allocations(baseline),
          target: { atLeast: 0.7 },
        },
        WARM_UP_RUNS,
      ),
    ];
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

function createMeasuredServers(
  [product, baseline]: readonly [ServerProcess, ServerProcess],
  authorization: string,
  [productPool, baselinePool]: readonly [number, number],
): [MeasuredServer, MeasuredServer] {
  const headers = { 'content-type': 'application/json' };
  return [
    { origin: product.origin, headers: { ...headers, authorization }, poolId: productPool },
    { origin: baseline.origin, headers, poolId: baselinePool },
  ];
}

async function createPrefixPools(url: string): Promise<[number, number]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>(
      'INSERT INTO ipam_prefix (prefix) SELECT unnest($1::cidr[]) RETURNING id',
      [[NETWORKS_BY_SIDE.product, NETWORKS_BY_SIDE.baseline]],
    );
    return [Number(rows[0]?.id), Number(rows[1]?.id)];
  } finally {
    await client.end();
  }
}

let nextAddressNumber = 0;

/** Returns the request body for a new IP address. Addresses are assigned in sequence from 20.0.0.0 on. */
function newAddressBody(description: string): object {
  const n = nextAddressNumber;
  nextAddressNumber += 1;
  const address = `${20 + (n >> 24)}.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}/32`;
  return { address, dns_name: `host-${n}.example.com`, description };
}

const newAddressJson = (): string => JSON.stringify(newAddressBody('Created alone'));

function postsPerSecond(
  { origin, headers }: MeasuredServer,
  path: string,
  body: () => string,
  connections = 16,
): Promise<number> {
  const request = { method: 'POST', path, headers, body, expectStatus: 201 } as const;
  return requestsPerSecond(origin, request, { connections, seconds: MEASURED_SECONDS });
}

async function sendAddressWrite(side: MeasuredServer, method: string, body: unknown, status: number): Promise<unknown> {
  const { origin, headers } = side;
  const response = await fetch(`${origin}${ADDRESSES_PATH}`, { method, headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (response.status !== status) throw new Error(`${method} ${origin}${ADDRESSES_PATH}: ${response.status} ${text}`);
  return text === '' ? null : JSON.parse(text);
}

/** Checks that the inventory service and the baseline server return objects with the same JSON keys. */
async function assertSameKeys(product: MeasuredServer, baseline: MeasuredServer): Promise<void> {
  const keysOf = async (side: MeasuredServer): Promise<string> =>
    Object.keys((await sendAddressWrite(side, 'POST', newAddressBody('Created first'), 201)) as object).join();
  const [ours, theirs] = [await keysOf(product), await keysOf(baseline)];
  if (ours !== theirs) throw new Error(`the two servers respond differently:\n${ours}\n${theirs}`);
}

const writeMethods = ['create', 'patch', 'delete'] as const;
type WriteRates = Record<(typeof writeMethods)[number], number>;

/**
 * Measures the creation, the change and the deletion of a thousand addresses, each with one request. Returns the
 * objects per second for each operation.
 */
async function measureBatchRates(side: MeasuredServer): Promise<WriteRates> {
  const timed = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
    const started = performance.now();
    const result = await work();
    return [result, (ADDRESSES_PER_BATCH / (performance.now() - started)) * 1000];
  };
  const objects = Array.from({ length: ADDRESSES_PER_BATCH }, () => newAddressBody('Created with others'));
  const [made, create] = await timed(() => sendAddressWrite(side, 'POST', objects, 201));
  const ids = (made as { id: number }[]).map(({ id }) => ({ id }));
  const changes = ids.map((id) => ({ ...id, description: 'Changed with others' }));
  const [, patch] = await timed(() => sendAddressWrite(side, 'PATCH', changes, 200));
  const [, remove] = await timed(() => sendAddressWrite(side, 'DELETE', ids, 204));
  return { create, patch, delete: remove };
}

async function compareBatchWrites(product: MeasuredServer, baseline: MeasuredServer): Promise<ComparisonResult[]> {
  const ours: WriteRates[] = [];
  const theirs: WriteRates[] = [];
  for (let run = 0; run < BATCH_WARM_UP_RUNS + MEASURED_RUN_COUNT; run += 1) {
    const [a, b] = [await measureBatchRates(baseline), await measureBatchRates(product)];
    if (run < BATCH_WARM_UP_RUNS) continue;
    theirs.push(a);
    ours.push(b);
  }
  return writeMethods.map((verb) =>
    computeComparison(
      {
        title: `Bulk ${verb} of ${ADDRESSES_PER_BATCH.toLocaleString('en')} addresses with change records and outbox rows`,
        unit: 'objects/s',
        target: { atLeast: 0.5 },
      },
      ours.map((rates) => rates[verb]),
      theirs.map((rates) => rates[verb]),
    ),
  );
}

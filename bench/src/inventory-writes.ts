import { join } from 'node:path';
import pg from 'pg';
import {
  measureComparison,
  type ComparisonResult,
  computeComparison,
  MEASURED_RUN_COUNT,
} from './compare-with-baseline.js';
import { measureRequestsPerSecond } from './measure-load.js';
import { type ServerProcess, startServerProcess } from './server-process.js';
import { runAdminCommand, repositoryRoot, type BenchmarkServices } from './benchmark-services.js';

const IP_ADDRESSES_API_PATH = '/api/ipam/ip-addresses/';
const MEASUREMENT_DURATION_SECONDS = 3;
const IP_ADDRESSES_PER_BATCH = 1_000;
/** Number of warm-up runs, some thousand requests, after which V8 has compiled the code of both servers. */
const WARM_UP_RUN_COUNT = 4;
/** Number of warm-up runs of requests with a thousand objects each. */
const BATCH_WARM_UP_RUN_COUNT = 12;

/** Numbers of clients that create single addresses at the same time, one number for each measured row. */
const SINGLE_CREATION_CLIENT_COUNTS = [16, 4] as const;

/**
 * Parent networks of the IP addresses that each server allocates. The networks are separate, so that neither server
 * searches among addresses of the other server.
 */
const PARENT_NETWORKS_BY_SERVER = { product: '11.0.0.0/8', baseline: '12.0.0.0/8' } as const;

interface ServerWithIpAddressPool {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Id of the prefix from which one measured server allocates IP addresses. */
  readonly poolId: number;
}

/**
 * Measures writes of the inventory service. These are single addresses of 16 and of 4 clients, a thousand addresses in
 * one request, and concurrent allocations from one prefix.
 */
export async function* measureInventoryWrites(stack: BenchmarkServices): AsyncGenerator<ComparisonResult[]> {
  const env = { ...stack.envOf('inventory'), DATABASE_URL: stack.services.postgresUrl('bench_inventory_writes') };
  runAdminCommand('inventory', env, ['create-superuser', 'bench', '--password', 'Benchmark-password-1']);
  const token = /nbt_\S+/.exec(runAdminCommand('inventory', env, ['create-token', 'bench']))?.[0] ?? '';
  const pools = await createPrefixesForAllocation(env.DATABASE_URL);
  const servers = await Promise.all([
    startServerProcess(join(repositoryRoot, 'apps/inventory/dist/bundle.js'), env, '/health/ready'),
    startServerProcess(join(import.meta.dirname, 'baselines/writes-server.js'), env, '/health/ready'),
  ]);
  const [product, baseline] = createServersWithIpAddressPools(servers, `Bearer ${token}`, pools);
  try {
    await assertSameJsonKeys(product, baseline);
    const creations = (side: ServerWithIpAddressPool, clients: number) => () =>
      measurePostsPerSecond(side, IP_ADDRESSES_API_PATH, createIpAddressJson, clients);
    for (const clients of SINGLE_CREATION_CLIENT_COUNTS) {
      yield [
        await measureComparison(
          {
            title: `Create an address with its change record and outbox row, ${clients} clients`,
            unit: 'requests/s',
            product: creations(product, clients),
            baseline: creations(baseline, clients),
            target: { atLeast: 0.7 },
          },
          WARM_UP_RUN_COUNT,
        ),
      ];
    }
    yield await compareIpAddressBatchWrites(product, baseline);
    const allocations = (side: ServerWithIpAddressPool) => () =>
      measurePostsPerSecond(side, `/api/ipam/prefixes/${side.poolId}/available-ips/`, () => '{}', 8);
    yield [
      await measureComparison(
        {
          title: 'Allocate addresses of one prefix, 8 clients',
          unit: 'allocations/s',
          product: allocations(product),
          baseline: allocations(baseline),
          target: { atLeast: 0.7 },
        },
        WARM_UP_RUN_COUNT,
      ),
    ];
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

function createServersWithIpAddressPools(
  [product, baseline]: readonly [ServerProcess, ServerProcess],
  authorization: string,
  [productPool, baselinePool]: readonly [number, number],
): [ServerWithIpAddressPool, ServerWithIpAddressPool] {
  const headers = { 'content-type': 'application/json' };
  return [
    { origin: product.origin, headers: { ...headers, authorization }, poolId: productPool },
    { origin: baseline.origin, headers, poolId: baselinePool },
  ];
}

async function createPrefixesForAllocation(url: string): Promise<[number, number]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>(
      'INSERT INTO ipam_prefix (prefix) SELECT unnest($1::cidr[]) RETURNING id',
      [[PARENT_NETWORKS_BY_SERVER.product, PARENT_NETWORKS_BY_SERVER.baseline]],
    );
    return [Number(rows[0]?.id), Number(rows[1]?.id)];
  } finally {
    await client.end();
  }
}

let nextIpAddressNumber = 0;

/** Returns the request body for a new IP address. Addresses are assigned in sequence from 20.0.0.0 on. */
function createIpAddressBody(description: string): object {
  const n = nextIpAddressNumber;
  nextIpAddressNumber += 1;
  const address = `${20 + (n >> 24)}.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}/32`;
  return { address, dns_name: `host-${n}.example.com`, description };
}

const createIpAddressJson = (): string => JSON.stringify(createIpAddressBody('Created alone'));

function measurePostsPerSecond(
  { origin, headers }: ServerWithIpAddressPool,
  path: string,
  body: () => string,
  connections: number,
): Promise<number> {
  const request = { method: 'POST', path, headers, body, expectStatus: 201 } as const;
  return measureRequestsPerSecond(origin, request, { connections, seconds: MEASUREMENT_DURATION_SECONDS });
}

async function sendIpAddressWriteRequest(
  side: ServerWithIpAddressPool,
  method: string,
  body: unknown,
  status: number,
): Promise<unknown> {
  const { origin, headers } = side;
  const response = await fetch(`${origin}${IP_ADDRESSES_API_PATH}`, { method, headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (response.status !== status)
    throw new Error(`${method} ${origin}${IP_ADDRESSES_API_PATH}: ${response.status} ${text}`);
  return text === '' ? null : JSON.parse(text);
}

/** Checks that the inventory service and the baseline server return objects with the same JSON keys. */
async function assertSameJsonKeys(product: ServerWithIpAddressPool, baseline: ServerWithIpAddressPool): Promise<void> {
  const keysOf = async (side: ServerWithIpAddressPool): Promise<string> =>
    Object.keys(
      (await sendIpAddressWriteRequest(side, 'POST', createIpAddressBody('Created first'), 201)) as object,
    ).join();
  const [ours, theirs] = [await keysOf(product), await keysOf(baseline)];
  if (ours !== theirs) throw new Error(`the two servers respond differently:\n${ours}\n${theirs}`);
}

const measuredWriteKinds = ['create', 'patch', 'delete'] as const;
type WriteRateByKind = Record<(typeof measuredWriteKinds)[number], number>;

/**
 * Measures the creation, the change and the deletion of a thousand addresses, each with one request. Returns the
 * objects per second for each operation.
 */
async function measureIpAddressBatchRates(side: ServerWithIpAddressPool): Promise<WriteRateByKind> {
  const timed = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
    const started = performance.now();
    const result = await work();
    return [result, (IP_ADDRESSES_PER_BATCH / (performance.now() - started)) * 1000];
  };
  const objects = Array.from({ length: IP_ADDRESSES_PER_BATCH }, () => createIpAddressBody('Created with others'));
  const [made, create] = await timed(() => sendIpAddressWriteRequest(side, 'POST', objects, 201));
  const ids = (made as { id: number }[]).map(({ id }) => ({ id }));
  const changes = ids.map((id) => ({ ...id, description: 'Changed with others' }));
  const [, patch] = await timed(() => sendIpAddressWriteRequest(side, 'PATCH', changes, 200));
  const [, remove] = await timed(() => sendIpAddressWriteRequest(side, 'DELETE', ids, 204));
  return { create, patch, delete: remove };
}

async function compareIpAddressBatchWrites(
  product: ServerWithIpAddressPool,
  baseline: ServerWithIpAddressPool,
): Promise<ComparisonResult[]> {
  const ours: WriteRateByKind[] = [];
  const theirs: WriteRateByKind[] = [];
  for (let run = 0; run < BATCH_WARM_UP_RUN_COUNT + MEASURED_RUN_COUNT; run += 1) {
    const [a, b] = [await measureIpAddressBatchRates(baseline), await measureIpAddressBatchRates(product)];
    if (run < BATCH_WARM_UP_RUN_COUNT) continue;
    theirs.push(a);
    ours.push(b);
  }
  return measuredWriteKinds.map((verb) =>
    computeComparison(
      {
        title: `Bulk ${verb} of ${IP_ADDRESSES_PER_BATCH.toLocaleString('en')} addresses with change records and outbox rows`,
        unit: 'objects/s',
        target: { atLeast: 0.5 },
      },
      ours.map((rates) => rates[verb]),
      theirs.map((rates) => rates[verb]),
    ),
  );
}

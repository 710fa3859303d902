import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureRedisBinary, isPortFree } from '@switchboard/local-services';
import { Redis } from 'ioredis';
import { reportUnregisteredTest } from '../test-configuration.js';
import { waitFor } from '../wait-for.js';

/** A Redis server that only one test uses and that the test may kill. */
export interface TestRedisServer {
  /** Port of the Redis server on 127.0.0.1. */
  readonly port: number;
  /** Connection of the test itself to the Redis server. */
  readonly admin: Redis;
  /** Kills the Redis server with SIGKILL. Resolves when the process of the server has ended. */
  kill(): Promise<void>;
  /** Pauses the Redis server with SIGSTOP. Returns a function that resumes the server. */
  pause(): () => void;
}

/**
 * Starts Redis servers for one test file: single servers, clusters and Sentinels. The files of the servers are in a
 * temporary folder.
 */
export class RedisServers {
  private readonly processes: ChildProcess[] = [];
  private readonly admins: Redis[] = [];

  private constructor(
    private readonly binary: string,
    readonly folder: string,
  ) {}

  /**
   * Creates the temporary folder for the files of the Redis servers.
   *
   * @throws LocalServicesError when this machine has no Redis program
   */
  static async open(): Promise<RedisServers> {
    const binary = await ensureRedisBinary({ log: () => {} });
    return new RedisServers(binary, await mkdtemp(join(tmpdir(), 'queue-servers-')));
  }

  /** Starts a Redis server and waits until it responds. `lines` are added to the configuration of the server. */
  async start(lines: readonly string[], args: readonly string[] = [], port?: number): Promise<TestRedisServer> {
    const own = port ?? (await findFreeRedisPort());
    const file = join(this.folder, `${own}.conf`);
    const base = [`port ${own}`, 'bind 127.0.0.1', 'save ""', `dir ${this.folder}`];
    await writeFile(file, [...base, ...lines, ''].join('\n'));
    const child = spawn(this.binary, [file, ...args], { stdio: 'ignore' });
    this.processes.push(child);
    const admin = new Redis(own, { retryStrategy: () => 20, maxRetriesPerRequest: null });
    admin.on('error', () => {});
    this.admins.push(admin);
    await admin.ping();
    const kill = async (): Promise<void> => {
      admin.disconnect();
      await waitForProcessExit(child);
    };
    const pause = (): (() => void) => {
      child.kill('SIGSTOP');
      return () => void child.kill('SIGCONT');
    };
    return { port: own, admin, kill, pause };
  }

  /**
   * Starts a Redis server that accepts TLS on `tlsPort`, given the paths of the PEM files with the certificate and its
   * private key.
   */
  async startTls(certificate: string, key: string): Promise<TestRedisServer & { tlsPort: number }> {
    const tlsPort = await findFreeRedisPort();
    const files = [`tls-cert-file "${certificate}"`, `tls-key-file "${key}"`, `tls-ca-cert-file "${certificate}"`];
    const server = await this.start([`tls-port ${tlsPort}`, 'tls-auth-clients no', ...files]);
    return { ...server, tlsPort };
  }

  /** Kills all Redis servers and deletes their folder. */
  async stop(): Promise<void> {
    for (const admin of this.admins) admin.disconnect();
    await Promise.all(this.processes.map(waitForProcessExit));
    // A process that a server forked may still write its dump into the folder.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function waitForProcessExit(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exit;
}

const waitUntilReplicaIsConnected = (replica: TestRedisServer): Promise<boolean> =>
  waitFor(async () => /master_link_status:up/.test(await replica.admin.info('replication')), { timeoutMs: 10_000 });

const REDIS_CLUSTER_SLOT_COUNT = 16_384;

/** Number of replicas and failover time of {@link startRedisCluster}. A cluster has three master nodes. */
export interface RedisClusterOptions {
  /** Number of master nodes with a replica, which takes over when its master is lost. */
  readonly replicas: 0 | 1 | 3;
  /** Time in milliseconds after which a node that does not respond counts as lost. Default 800. */
  readonly nodeTimeoutMs?: number;
}

/**
 * Starts a Redis Cluster of three master nodes, without the program redis-cli.
 *
 * @returns the three master nodes, then the replicas of the first masters in the order of the masters
 */
export async function startRedisCluster(
  servers: RedisServers,
  { replicas, nodeTimeoutMs = 800 }: RedisClusterOptions,
): Promise<TestRedisServer[]> {
  const nodes: TestRedisServer[] = [];
  for (let n = 0; n < 3 + replicas; n += 1) {
    const port = await findFreePortForCluster();
    const files = ['cluster-enabled yes', `cluster-config-file ${port}.nodes`];
    const lines = [...files, `cluster-node-timeout ${nodeTimeoutMs}`];
    // A replica may take over regardless of how long its master was unavailable.
    nodes.push(
      await servers.start([...lines, 'cluster-replica-validity-factor 0', 'repl-diskless-sync-delay 0'], [], port),
    );
  }
  const masters = nodes.slice(0, 3);
  const [first] = nodes;
  if (!first) throw new Error('no node');
  await Promise.all(
    masters.map(async ({ admin }, n) => {
      await admin.cluster('SET-CONFIG-EPOCH', n + 1);
      const [from, to] = [
        Math.floor((REDIS_CLUSTER_SLOT_COUNT * n) / 3),
        Math.floor((REDIS_CLUSTER_SLOT_COUNT * (n + 1)) / 3) - 1,
      ];
      await admin.call('CLUSTER', 'ADDSLOTSRANGE', from, to);
    }),
  );
  for (const { port } of nodes.slice(1)) await first.admin.cluster('MEET', '127.0.0.1', port);
  const info = async ({ admin }: TestRedisServer): Promise<string> => String(await admin.cluster('INFO'));
  const joined = async (node: TestRedisServer): Promise<boolean> => {
    const text = await info(node);
    return text.includes('cluster_state:ok') && text.includes(`cluster_known_nodes:${nodes.length}`);
  };
  await waitFor(async () => (await Promise.all(nodes.map(joined))).every(Boolean), { timeoutMs: 15_000 });
  for (const [n, replica] of nodes.slice(3).entries()) await configureRedisReplica(replica, masters[n] ?? first);
  return nodes;
}

async function configureRedisReplica(replica: TestRedisServer, master: TestRedisServer): Promise<void> {
  await replica.admin.cluster('REPLICATE', String(await master.admin.cluster('MYID')));
  await waitUntilReplicaIsConnected(replica);
}

/**
 * Starts a Redis master and its replica, and three Sentinels that monitor the master under `name`.
 *
 * @param downAfterMs time in milliseconds after which a server that does not respond counts as lost
 */
export async function startRedisSentinels(
  servers: RedisServers,
  name: string,
  downAfterMs = 500,
): Promise<{ master: TestRedisServer; replica: TestRedisServer; sentinels: TestRedisServer[] }> {
  const master = await servers.start(['repl-diskless-sync-delay 0']);
  const replica = await servers.start([`replicaof 127.0.0.1 ${master.port}`]);
  await waitUntilReplicaIsConnected(replica);
  const lines = [
    `sentinel monitor ${name} 127.0.0.1 ${master.port} 2`,
    `sentinel down-after-milliseconds ${name} ${downAfterMs}`,
    `sentinel failover-timeout ${name} 3000`,
  ];
  const sentinels = await Promise.all([1, 2, 3].map(() => servers.start(lines, ['--sentinel'])));
  const knowsAll = async ({ admin }: TestRedisServer): Promise<boolean> => {
    const known = String(await admin.call('SENTINEL', 'MASTER', name));
    return known.includes('num-slaves,1') && known.includes('num-other-sentinels,2');
  };
  await waitFor(async () => (await Promise.all(sentinels.map(knowsAll))).every(Boolean), { timeoutMs: 15_000 });
  return { master, replica, sentinels };
}

/**
 * Returns true if the Redis program of this machine supports TLS. If TLS is not supported, counts the test `name` as
 * not run in the summary of the test run.
 */
export async function isRedisBuiltWithTls(name: string): Promise<boolean> {
  const binary = await ensureRedisBinary({ log: () => {} });
  // A Redis with TLS cannot open the port without a certificate; a Redis without TLS rejects the setting as unknown.
  const run = promisify(execFile)(binary, ['--port', '0', '--tls-port', '1', '--save', '']);
  const output = await run.then(
    ({ stdout }) => stdout,
    (error: { stdout?: string; stderr?: string }) => `${error.stdout}${error.stderr}`,
  );
  const able = !/bad directive|without TLS|not compiled/i.test(output);
  if (!able) reportUnregisteredTest(name);
  return able;
}

/**
 * Returns a free port below the ephemeral range. The port that is 10,000 higher, for the bus of the Redis Cluster, is
 * also free and below the ephemeral range.
 */
const findFreePortForCluster = (): Promise<number> => findFreeRedisPort(22_000, 10_000);

async function findFreeRedisPort(below = 32_000, busAbove = 0): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * (below - 15_000));
    if ((await isPortFree(port)) && (await isPortFree(port + busAbove))) return port;
  }
}

import { RedisServers, startRedisCluster, type TestRedisServer } from '@switchboard/testing';
import { Cluster } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { RedisCredentialInvalidationNotifier } from '../src/index.js';

const channel = 'service:credentials';
const cleanups: (() => void)[] = [];
let servers: RedisServers;
let nodes: TestRedisServer[];

beforeAll(async () => {
  servers = await RedisServers.open();
  nodes = await startRedisCluster(servers, { replicas: 0 });
});

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

afterAll(() => servers.stop());

/**
 * Starts the Redis subscription to credential invalidations for one simulated process of the test. Records the
 * invalidations that the process receives.
 */
async function startProcess(): Promise<{
  invalidations: RedisCredentialInvalidationNotifier;
  heard: string[];
  losses: () => number;
}> {
  const redis = new Cluster(
    nodes.map(({ port }) => ({ host: '127.0.0.1', port })),
    { clusterRetryStrategy: () => 50 },
  );
  redis.on('error', () => undefined);
  const invalidations = new RedisCredentialInvalidationNotifier({
    redis,
    channel,
    logger: { warn: () => undefined },
    heartbeatMs: 100,
  });
  const heard: string[] = [];
  let losses = 0;
  invalidations.listen({ invalidated: (tag) => heard.push(tag), lost: () => (losses += 1) });
  cleanups.push(() => {
    invalidations.close();
    redis.disconnect();
  });
  await invalidations.start();
  await vi.waitFor(() => expect(invalidations.isConnected()).toBe(true), { timeout: 15_000 });
  return { invalidations, heard, losses: () => losses };
}

/** Returns the cluster nodes on which the Redis channel has subscribers. */
async function listSubscribedNodes(): Promise<TestRedisServer[]> {
  const counts = await Promise.all(nodes.map(({ admin }) => admin.pubsub('NUMSUB', channel)));
  return nodes.filter((_, n) => Number(counts[n]?.[1] ?? 0) > 0);
}

it('credential invalidations reach every process of a Redis cluster, on any node', async () => {
  const processes = [await startProcess(), await startProcess(), await startProcess()];
  await processes[0]?.invalidations.publish('user:1');
  await vi.waitFor(() => expect(processes.map(({ heard }) => heard)).toEqual([['user:1'], ['user:1'], ['user:1']]), {
    timeout: 15_000,
  });
});

it('credential invalidations report a loss when their cluster node is killed, and connect to another node', async () => {
  const process = await startProcess();
  const [node] = await listSubscribedNodes();
  await node?.kill();
  nodes = nodes.filter((each) => each !== node);
  await vi.waitFor(() => expect(process.losses()).toBe(1), { timeout: 15_000 });
  await vi.waitFor(() => expect(process.invalidations.isConnected()).toBe(true), { timeout: 15_000 });
  // Every node forwards messages published at any node.
  await nodes[0]?.admin.publish(channel, 'user:2');
  await vi.waitFor(() => expect(process.heard).toEqual(['user:2']), { timeout: 15_000 });
});

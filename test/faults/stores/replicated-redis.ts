import {
  RedisServers,
  startRedisCluster,
  startRedisSentinels,
  type TestRedisServer,
  waitFor,
} from '@switchboard/testing';

/** Name under which the Sentinels monitor the primary. */
const masterName = 'main';
/**
 * Time in milliseconds after which a Redis server that does not respond counts as lost. Sentinels promote no replica that
 * has had no connection to its primary for more than ten times as long.
 */
const downAfterMs = 5_000;
/** Maximum time until the replication reaches an expected state, in milliseconds. */
const waitLimitMs = 180_000;

/** Kinds of Redis installations that replace a lost primary by themselves. */
export type RedisKind = 'Sentinel' | 'Cluster';

/** Redis servers of which a test loses a primary. */
export interface ReplicatedRedis {
  /** Value of the variable `REDIS_URL`. */
  readonly url: string;
  /**
   * Returns the primary with the event logs of a service, and its replica. Resolves when the replica follows the primary.
   *
   * @param keyPrefix value of the variable `REDIS_KEY_PREFIX` of the service
   */
  findPair(keyPrefix: string): Promise<RedisPair>;
  stop(): Promise<void>;
}

/** A Redis primary and the replica that becomes the primary when the former one is lost. */
export class RedisPair {
  constructor(
    readonly primary: TestRedisServer,
    readonly replica: TestRedisServer,
    private readonly parts: {
      /** Servers on the host of the primary, which are paused together with the primary. */
      readonly neighbors: readonly TestRedisServer[];
      readonly requestFailover: () => Promise<unknown>;
    },
  ) {}

  /**
   * Ends the replication from the primary to the replica. Later writes are lost when the replica becomes the primary.
   */
  async cutReplication(): Promise<void> {
    const { admin } = this.replica;
    // With a wrong password the replica cannot connect again.
    await admin.config('SET', 'masteruser', 'nobody');
    await admin.config('SET', 'masterauth', 'wrong');
    await admin.call('CLIENT', 'KILL', 'TYPE', 'master');
    await waitUntil('the replica still follows the primary', async () => !(await isFollowing(this.replica)));
  }

  /** Returns the number of bytes of the primary's replication stream that the replica lacks. */
  async readMissingBytes(): Promise<number> {
    const replicated = await readOffset(this.replica, 'slave_repl_offset');
    return (await readOffset(this.primary, 'master_repl_offset')) - replicated;
  }

  /** Pauses the primary and the other servers on its host. Returns a function that resumes them. */
  pausePrimary(): () => void {
    const resumes = [this.primary, ...this.parts.neighbors].map((server) => server.pause());
    return () => {
      for (const resume of resumes) resume();
    };
  }

  /** Makes the replica the primary while the former primary still runs. Resolves when the replica is the primary. */
  async forceFailover(): Promise<void> {
    await waitUntil('the failover was refused', () => this.parts.requestFailover().then(Boolean));
    await this.waitForPromotion();
  }

  waitForPromotion(): Promise<void> {
    return waitUntil('the replica is no primary', () => isPrimary(this.replica));
  }

  /** Waits until the former primary follows the new one. */
  waitForDemotion(): Promise<void> {
    return waitUntil('the former primary does not follow', () => isFollowing(this.primary));
  }
}

/** Starts Redis servers without data. */
export function startReplicatedRedis(kind: RedisKind): Promise<ReplicatedRedis> {
  return kind === 'Sentinel' ? startSentinels() : startCluster();
}

async function startSentinels(): Promise<ReplicatedRedis> {
  const servers = await RedisServers.open();
  const { master, replica, sentinels } = await startRedisSentinels(servers, masterName, downAfterMs);
  const [first] = sentinels;
  if (first === undefined) throw new Error('no Sentinel was started');
  return {
    url: `redis+sentinel://${addressesOf(sentinels)}/${masterName}`,
    findPair: async () => {
      // A busy machine may have caused a failover before.
      const address = await first.admin.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', masterName);
      const isFirst = Array.isArray(address) && Number(address[1]) === master.port;
      const [primary, other] = isFirst ? [master, replica] : [replica, master];
      await waitUntil('the replica does not follow', () => isFollowing(other));
      return new RedisPair(primary, other, {
        neighbors: [first],
        requestFailover: () => first.admin.call('SENTINEL', 'FAILOVER', masterName),
      });
    },
    stop: () => servers.stop(),
  };
}

async function startCluster(): Promise<ReplicatedRedis> {
  const servers = await RedisServers.open();
  const nodes = await startRedisCluster(servers, { replicas: 3, nodeTimeoutMs: downAfterMs });
  return {
    url: `redis+cluster://${addressesOf(nodes)}`,
    findPair: async (keyPrefix) => {
      for (const [index, one] of nodes.slice(0, 3).entries()) {
        const other = nodes[index + 3];
        if (other === undefined) throw new Error(`master ${index} has no replica`);
        const [primary, replica] = (await isPrimary(one)) ? [one, other] : [other, one];
        if ((await primary.admin.keys(`{${keyPrefix}:*}:log`)).length === 0) continue;
        await waitUntil('the replica does not follow', () => isFollowing(replica));
        const requestFailover = () => replica.admin.call('CLUSTER', 'FAILOVER', 'FORCE');
        return new RedisPair(primary, replica, { neighbors: [], requestFailover });
      }
      throw new Error('no master has an event log');
    },
    stop: () => servers.stop(),
  };
}

function addressesOf(servers: readonly TestRedisServer[]): string {
  return servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
}

async function isPrimary({ admin }: TestRedisServer): Promise<boolean> {
  return (await admin.info('replication')).includes('role:master');
}

/** Returns true if the server is a replica and is connected to its primary. */
async function isFollowing({ admin }: TestRedisServer): Promise<boolean> {
  return (await admin.info('replication')).includes('master_link_status:up');
}

async function readOffset({ admin }: TestRedisServer, field: string): Promise<number> {
  return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(await admin.info('replication'))?.[1]);
}

/** Waits until a condition is true. Throws an error with the text `problem` after the time limit. */
async function waitUntil(problem: string, check: () => Promise<boolean>): Promise<void> {
  await waitFor(check, { timeoutMs: waitLimitMs, intervalMs: 50, what: `the end of this state: ${problem}` });
}

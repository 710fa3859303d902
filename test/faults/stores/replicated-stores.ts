import { join } from 'node:path';
import { PrimaryRelay } from '../failover/primary-relay.js';
import { PostgresPair, type ReplicationMode } from './postgres-pair.js';
import { RedisStore } from './redis-store.js';
import { type StoreAddresses, folderOf } from './stores.js';

/** A Redis server and two PostgreSQL servers for tests of a failover. One address leads to the PostgreSQL primary. */
export interface ReplicatedStores extends StoreAddresses {
  readonly pair: PostgresPair;
  readonly relay: PrimaryRelay;
}

/**
 * Starts a Redis server, a PostgreSQL primary and its standby, all without data.
 *
 * @param suite name of the test suite, unique for each spec file
 */
export async function startReplicatedStores(suite: string, mode: ReplicationMode): Promise<ReplicatedStores> {
  const folder = folderOf(suite);
  const pair = new PostgresPair(folder);
  const redis = new RedisStore(join(folder, 'redis'));
  await Promise.all([pair.start(mode), redis.startEmpty()]);
  const relay = await new PrimaryRelay([pair.primary, pair.standby].map((one) => one.urlOf('postgres'))).start();
  return {
    folder,
    pair,
    relay,
    redisUrl: redis.url,
    prefix: 'faults-',
    databaseUrl: (app) => relay.urlOf(`faults_${app}`),
    stop: async () => {
      await relay.stop();
      await Promise.all([pair.stop(), redis.stop()]);
    },
  };
}

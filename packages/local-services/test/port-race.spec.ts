import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findDatabaseAccount } from '../src/database-account.js';
import { ensureRedisBinary, findFreePort, isPortFree } from '../src/index.js';
import { findPostgresBinaries } from '../src/postgres-binaries.js';
import { getPostgresClusterFolder, ensurePostgresCluster } from '../src/postgres-cluster.js';
import { startPostgres } from '../src/postgres-server.js';
import { startRedis } from '../src/redis-server.js';
import { Scratch } from './fixture/temporary-folders.js';

const scratch = new Scratch();
const intruder = createServer();
let takenPort = 0;

beforeAll(async () => {
  takenPort = await findFreePort();
  await new Promise<void>((resolve) => intruder.listen(takenPort, '127.0.0.1', resolve));
});
afterAll(() => void intruder.close());
afterEach(() => scratch.clear());

/** Returns a port finder whose first result is a port that another server occupies before PostgreSQL starts. */
function lateTaker(): (preferred?: number) => Promise<number> {
  let calls = 0;
  return (preferred) => ((calls += 1) === 1 ? Promise.resolve(takenPort) : findFreePort(preferred));
}

describe('port that another process takes during the start', () => {
  it('makes PostgreSQL use another port', async () => {
    const serviceFolder = scratch.folder();
    const account = findDatabaseAccount(getPostgresClusterFolder(serviceFolder));
    const { initdb, postgres } = findPostgresBinaries(serviceFolder, account, () => undefined);
    await ensurePostgresCluster({ serviceFolder, initdb, account, password: 'secret', durable: false });
    const server = await startPostgres({
      clusterFolder: getPostgresClusterFolder(serviceFolder),
      postgres,
      account,
      password: 'secret',
      logFile: join(serviceFolder, 'postgres.log'),
      durable: false,
      maxConnections: 20,
      preferredPort: undefined,
      findPort: lateTaker(),
    });
    await server.process.stop();
    expect(server.port).not.toBe(takenPort);
  });

  it('makes Redis use another port', async () => {
    const folder = scratch.folder();
    const server = await startRedis({
      folder: join(folder, 'redis'),
      binary: await ensureRedisBinary({ log: () => undefined }),
      password: 'secret',
      logFile: join(folder, 'redis.log'),
      durable: false,
      preferredPort: undefined,
      findPort: lateTaker(),
    });
    await server.process.stop();
    expect(server.port).not.toBe(takenPort);
  });

  it('remains excluded from the results of findFreePort', async () => {
    expect(await isPortFree(takenPort)).toBe(false);
    expect(await findFreePort(takenPort)).not.toBe(takenPort);
  });
});

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { getTestServerAddresses } from '@switchboard/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isProcessRunning } from '../../../packages/local-services/node-only/process-identity.mjs';
import { RequestLoad, SupervisedService } from '../../../packages/platform/test/supervised-service.js';
import { type ChatCluster, chatCluster } from './chat-server.js';

const poolSize = 2;
let cluster: ChatCluster;
let service: SupervisedService;
let server: pg.Client;

beforeAll(async () => {
  cluster = await chatCluster();
  server = new pg.Client(cluster.database.url);
  await server.connect();
  const { config } = (await cluster.start({ ROLE: 'api' })).runtime;
  const { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX, UPLOADS_DIR, MAIL_FOLDER } = config;
  service = new SupervisedService(join(import.meta.dirname, '../dist/bundle.js'), {
    DATABASE_URL,
    REDIS_URL,
    REDIS_KEY_PREFIX,
    UPLOADS_DIR,
    MAIL_FOLDER,
    PROCESSES: '2',
    DATABASE_POOL_SIZE: String(poolSize),
  });
  await service.isReady();
});

afterAll(async () => {
  await service?.kill();
  await server?.end();
  await cluster?.stop();
});

/** Returns the remote ports of the TCP connections of a process. */
function connectedPorts(pid: number): number[] {
  const folder = `/proc/${pid}/fd`;
  const files = readdirSync(folder).flatMap((name) => {
    try {
      return readlinkSync(join(folder, name));
    } catch {
      return [];
    }
  });
  const rows = ['tcp', 'tcp6'].flatMap((kind) => readFileSync(`/proc/${pid}/net/${kind}`, 'utf8').split('\n').slice(1));
  return rows.flatMap((row) => {
    const fields = row.trim().split(/\s+/);
    const isEstablished = fields[3] === '01';
    return isEstablished && files.includes(`socket:[${fields[9]}]`) ? parseInt(fields[2]?.split(':')[1] ?? '', 16) : [];
  });
}

/** Returns the number of connections to the database. */
async function countConnections(): Promise<number> {
  const { rows } = await server.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend'`,
  );
  return rows[0]?.count ?? 0;
}

describe('bundle of the chat service with PROCESSES=2', () => {
  it('opens connections to PostgreSQL and Redis in its processes alone', async () => {
    const [one = 0] = await service.pids();
    const ports = [getTestServerAddresses().postgresUrl, getTestServerAddresses().redisUrl].map((url) =>
      Number(new URL(url).port),
    );
    expect(connectedPorts(one)).toEqual(expect.arrayContaining(ports));
    for (const port of ports) expect(connectedPorts(service.pid)).not.toContain(port);
  });

  it('restarts a killed process while the second process serves requests', async () => {
    const [killed = 0, other = 0] = await service.pids();
    process.kill(killed, 'SIGKILL');
    await service.logs('a process died and will be restarted');
    const load = new RequestLoad(`${service.url}/api/v1/server_settings`);
    await service.isReady();
    await load.stop();
    expect(load.failures).toEqual([]);
    expect(load.count).toBeGreaterThan(0);
    const pids = await service.pids();
    expect(pids).toContain(other);
    expect(pids).not.toContain(killed);
  });

  it('replaces all processes on SIGHUP without a failed request', async () => {
    const before = await service.pids();
    const ownConnections = await countConnections();
    const load = new RequestLoad(`${service.url}/api/v1/server_settings`);
    let most = 0;
    service.signal('SIGHUP');
    await service.waitFor('new processes', async () => {
      most = Math.max(most, await countConnections());
      return service.find('all processes are replaced').length > 0;
    });
    await load.stop();
    expect(load.failures).toEqual([]);
    const after = await service.pids();
    expect(after).toHaveLength(2);
    expect(before.filter((pid) => after.includes(pid) || isProcessRunning(pid))).toEqual([]);
    // One further process runs meanwhile, each with its pool and two more connections (docs/operate/processes.md).
    expect(most).toBeLessThanOrEqual(ownConnections + (poolSize + 2) * 3);
  });

  it('stops all processes on SIGTERM with exit code 0', async () => {
    const pids = await service.pids();
    expect(pids).toHaveLength(2);
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(pids.filter(isProcessRunning)).toEqual([]);
  });
});

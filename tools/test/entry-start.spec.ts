import { existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLongRunIt } from '@switchboard/testing';
import { isProcessRunning } from '../../packages/local-services/node-only/process-identity.mjs';
import { Seed } from '../../packages/local-services/test/fixture/prepared-data-folder.js';
import { FixtureWorkspace, serverPids, waitFor } from './fixture/workspace.js';

const itInLongRun = createLongRunIt(it);
let workspace: FixtureWorkspace;
const seed = new Seed();

beforeEach(async () => {
  workspace = new FixtureWorkspace();
  await workspace.choosePorts();
  await workspace.writeEarlierData(seed);
});

afterEach(() => workspace.remove());
afterAll(() => seed.remove());

interface ResponseBody {
  pid: number;
  env: Record<string, string>;
}

async function requestFrom(app: 'chat' | 'inventory'): Promise<ResponseBody> {
  return (await (await fetch(workspace.address(app))).json()) as ResponseBody;
}

async function responses(app: 'chat' | 'inventory'): Promise<boolean> {
  return fetch(workspace.address(app)).then(
    () => true,
    () => false,
  );
}

describe('npm start', () => {
  it('starts databases and both services, whose addresses are printed', async () => {
    workspace.removeData();
    const run = await workspace.start();
    const chat = await requestFrom('chat');
    const inventory = await requestFrom('inventory');
    const servers = serverPids(workspace);
    expect(servers).toHaveLength(2);
    expect(chat.env['DATABASE_URL']).toMatch(/^postgresql:\/\/postgres:.+@127\.0\.0\.1:\d+\/switchboard_chat$/);
    expect(inventory.env['DATABASE_URL']).toMatch(/\/switchboard_inventory$/);
    expect(chat.env['NODE_ENV']).toBe('development');
    expect(chat.env['SECRET_PEPPERS']).not.toBe(inventory.env['SECRET_PEPPERS']);
    expect(run.output()).toContain(workspace.address('chat'));
    expect(run.output()).toContain(inventory.env['DEMO_ADMIN_TOKEN']);
    expect(statSync(workspace.path('.data/secrets.json')).mode & 0o777).toBe(0o600);
    expect(statSync(workspace.path('.data/credentials.json')).mode & 0o777).toBe(0o600);

    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(0);
    const ends = workspace.read('record.txt').trim().split('\n');
    expect(ends).toHaveLength(2);
    for (const end of ends) expect(JSON.parse(end)).toMatchObject({ databaseRuns: true, redisRuns: true });
    for (const pid of [chat.pid, inventory.pid, ...servers]) expect(isProcessRunning(pid)).toBe(false);
    expect(workspace.read('.data/logs/chat.log')).toContain('"listening"');
  });

  it('retains data and secrets at a second start without repeated steps', async () => {
    const first = await workspace.start();
    const before = await requestFrom('inventory');
    first.child.kill('SIGINT');
    await first.ended;
    await workspace.start();
    const after = await requestFrom('inventory');
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'SECRET_PEPPERS', 'SECRET_ENCRYPTION_KEYS', 'DEMO_ADMIN_TOKEN']) {
      expect(after.env[name]).toBe(before.env[name]);
    }
    expect(workspace.read('steps.txt')).toBe('generate\ncompile\nbundle\n');
  });

  it('rejects a second start, and leaves the first start running', async () => {
    const first = await workspace.start();
    const second = workspace.entry(['start']);
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`already running or starting here: process ${first.child.pid}`);
    expect(await responses('chat')).toBe(true);
  });

  it('recovers from a parent killed with SIGKILL', async () => {
    const first = await workspace.start();
    const orphans = serverPids(workspace);
    const { pid } = await requestFrom('chat');
    first.child.kill('SIGKILL');
    await first.ended;
    const second = await workspace.start();
    expect(isProcessRunning(pid)).toBe(false);
    for (const orphan of orphans) expect(isProcessRunning(orphan)).toBe(false);
    expect(second.output()).toContain('of an earlier start.');
    expect((await requestFrom('chat')).pid).not.toBe(pid);
  });

  it('names the process that uses a port, and starts nothing', async () => {
    const server = createServer().listen(Number(workspace.ports.CHAT_PORT), '127.0.0.1');
    try {
      const run = workspace.entry(['start']);
      expect(await run.ended).toBe(1);
      expect(run.output()).toContain(`Port ${workspace.ports.CHAT_PORT} (chat) is used by process ${process.pid}`);
      expect(workspace.read('.data/secrets.json')).toBe('');
    } finally {
      server.close();
    }
  });

  it('restarts a service that exits with growing delays, and stops restarting after five exits', async () => {
    const run = await workspace.start();
    const inventory = await requestFrom('inventory');
    for (const [index, delaySeconds] of [0.2, 0.6, 1.8, 5].entries()) {
      const before = await requestFrom('chat');
      await fetch(`${workspace.address('chat')}/die`);
      await run.prints(`Restarting chat in ${delaySeconds} s.`);
      await run.prints('chat is ready again.', index + 1);
      expect((await requestFrom('chat')).pid).not.toBe(before.pid);
    }
    expect(run.output()).toMatch(/chat ended unexpectedly \(exit code 3\)[\s\S]*about to fall over/);
    await fetch(`${workspace.address('chat')}/die`);
    await run.prints('chat ended five times within a minute and is not restarted.');
    expect(await responses('chat')).toBe(false);
    expect((await requestFrom('inventory')).pid).toBe(inventory.pid);
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(0);
  });

  itInLongRun('stops everything and exits 1 when the only service dies five times', async () => {
    const run = await workspace.start(['chat'], { FIXTURE_FRAGILE: 'yes' });
    const servers = serverPids(workspace);
    await fetch(`${workspace.address('chat')}/die`);
    expect(await run.ended).toBe(1);
    expect(run.output()).toContain('chat ended five times within a minute and is not restarted.');
    for (const left of servers) expect(isProcessRunning(left)).toBe(false);
  });

  it('prints why a service died before the service was ready, and exits with 1', async () => {
    workspace.write('apps/chat/dist/bundle.js', "console.error('the port of the database is wrong'); process.exit(4);");
    const run = workspace.entry(['start']);
    expect(await run.ended).toBe(1);
    expect(run.output()).toMatch(/chat ended[\s\S]*exit code 4[\s\S]*the port of the database is wrong/);
    expect(await responses('inventory')).toBe(false);
    expect(serverPids(workspace)).toEqual([]);
  });

  it('prints that a database died, stops all processes and exits with 1', async () => {
    const run = await workspace.start(['inventory']);
    process.kill(parseInt(workspace.read('.data/redis/redis.pid'), 10), 'SIGKILL');
    expect(await run.ended).toBe(1);
    expect(run.output()).toContain('Redis ended unexpectedly');
    expect(await responses('inventory')).toBe(false);
    expect(serverPids(workspace)).toEqual([]);
  });

  it('runs only the named service', async () => {
    await workspace.start(['inventory']);
    expect(await responses('inventory')).toBe(true);
    expect(await responses('chat')).toBe(false);
  });

  itInLongRun('starts no database when variables contain the addresses of all databases', async () => {
    const given = { DATABASE_URL_CHAT: 'postgresql://db.example:1/chat', REDIS_URL: 'redis://cache.example:2' };
    await workspace.start(['chat'], given);
    const { env } = await requestFrom('chat');
    expect(env['DATABASE_URL']).toBe(given.DATABASE_URL_CHAT);
    expect(env['REDIS_URL']).toBe(given.REDIS_URL);
    expect(serverPids(workspace)).toEqual([]);
  });

  itInLongRun('stops on a signal that arrives while databases are starting', async () => {
    workspace.removeData();
    const run = workspace.entry(['start']);
    await run.prints('Starting PostgreSQL');
    run.child.kill('SIGTERM');
    await run.ended;
    expect(run.output()).toContain('All services are stopped');
    expect(serverPids(workspace)).toEqual([]);
  });

  it('stops immediately at a second signal', async () => {
    const run = await workspace.start(['chat'], { FIXTURE_DEAF: 'yes' });
    const { pid } = await requestFrom('chat');
    const servers = serverPids(workspace);
    run.child.kill('SIGINT');
    // At Ctrl-C npm forwards its signal a moment later, which must not count as a second one.
    run.child.kill('SIGINT');
    await delay(1_200);
    expect(isProcessRunning(pid)).toBe(true);
    run.child.kill('SIGINT');
    expect(await run.ended).toBe(1);
    await waitFor(() => [pid, ...servers].every((left) => !isProcessRunning(left)));
  });

  it('passes no secrets for development to a service in production', async () => {
    await workspace.start(['chat'], { NODE_ENV: 'production' });
    const { env } = await requestFrom('chat');
    expect(env['NODE_ENV']).toBe('production');
    expect(env['SECRET_PEPPERS']).toBeUndefined();
  });
});

describe('npm start -- --reset', () => {
  it('requires a terminal to ask for confirmation', async () => {
    const run = workspace.entry(['start', '--reset']);
    expect(await run.ended).toBe(1);
    expect(run.output()).toContain('--reset --yes');
  });

  it('rejects the reset of databases whose addresses come from the environment', async () => {
    const run = workspace.entry(['start', '--reset', '--yes'], { REDIS_URL: 'redis://cache.example:2' });
    expect(await run.ended).toBe(1);
    expect(run.output()).toContain('REDIS_URL');
  });

  it('deletes all data with --yes', async () => {
    const first = await workspace.start(['chat']);
    const before = await requestFrom('chat');
    first.child.kill('SIGTERM');
    await first.ended;
    workspace.write('.data/chat-files/uploads/one.txt', 'an upload');
    await workspace.start(['chat', '--reset', '--yes']);
    const after = await requestFrom('chat');
    expect(after.env['SECRET_PEPPERS']).not.toBe(before.env['SECRET_PEPPERS']);
    expect(after.env['DATABASE_URL']).not.toBe(before.env['DATABASE_URL']);
    expect(existsSync(workspace.path('.data/chat-files'))).toBe(false);
  });
});

describe('npm run dev', () => {
  it('restarts the services after an edit of a source file, and continues after a service crashes', async () => {
    const run = workspace.entry(['dev', 'chat']);
    await run.prints('Watching');
    const before = await requestFrom('chat');
    workspace.write('apps/chat/src/edited.ts', 'an edit');
    await run.prints('The edited services were ready after');
    const after = await requestFrom('chat');
    expect(after.pid).not.toBe(before.pid);
    await fetch(`${workspace.address('chat')}/die`);
    await run.prints('ended unexpectedly (exit code 3)');
    workspace.write('apps/chat/src/edited.ts', 'the mend');
    await run.prints('The edited services were ready after', 2);
    expect(await responses('chat')).toBe(true);
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(0);
    expect(serverPids(workspace)).toEqual([]);
  });
});

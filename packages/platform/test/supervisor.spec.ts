import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isProcessRunning } from '../../local-services/node-only/process-identity.mjs';
import { SupervisedService } from './supervised-service.js';

const program = join(import.meta.dirname, 'fixture/supervised-service.mjs');
let folder: string;
let services: SupervisedService[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'supervisor-'));
  services = [];
  behave('1');
});

afterEach(async () => {
  await Promise.all(services.map((service) => service.kill()));
  rmSync(folder, { recursive: true });
});

/** Sets the behavior of test processes that start after this call. */
function behave(behavior: string): void {
  writeFileSync(join(folder, 'behavior'), behavior);
}

function start(env: Record<string, string> = {}): SupervisedService {
  const service = new SupervisedService(program, { PROCESSES: '2', BEHAVIOR: join(folder, 'behavior'), ...env });
  services.push(service);
  return service;
}

async function work(service: SupervisedService): Promise<{ pid: number; behavior: string }> {
  const response = await fetch(`${service.url}/work`, { headers: { connection: 'close' } });
  return (await response.json()) as { pid: number; behavior: string };
}

/** Sends requests on separate connections, and returns the ids of the processes that responded. */
async function respondingPids(service: SupervisedService, count: number): Promise<number[]> {
  const responses = await Promise.all(Array.from({ length: count }, () => work(service)));
  return [...new Set(responses.map(({ pid }) => pid))].toSorted((a, b) => a - b);
}

describe('superviseProcesses', () => {
  it('returns without a supervisor when PROCESSES is absent', async () => {
    const service = start({ PROCESSES: '' });
    await service.logs('serving /metrics');
    expect((await work(service)).pid).toBe(service.pid);
    expect((await service.readiness()).status).toBe(404);
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
  });

  it('distributes connections to one port among the processes, and adds up their metrics', async () => {
    const service = await start().isReady();
    const pids = await service.pids();
    expect(await respondingPids(service, 10)).toEqual(pids.toSorted((a, b) => a - b));
    expect(pids).toHaveLength(2);
    expect(pids).not.toContain(service.pid);
    expect(await service.metric('fixture_work_total')).toEqual({ '': 10 });
    expect(await service.metric('http_request_duration_seconds_count')).toMatchObject({
      '{method="GET",route="/work",status="200"}': 10,
    });
    expect(await service.metric('fixture_size')).toEqual(Object.fromEntries(pids.map((pid) => [`{pid="${pid}"}`, 7])));
    expect(Object.keys(await service.metric('process_start_time_seconds'))).toHaveLength(3);
    expect((await fetch(`${service.supervisorUrl}/health/live`)).status).toBe(200);
  });

  it.each([
    ['a metric', 'unreadable'],
    ['all metrics', 'broken metrics'],
  ])('continues, and later stops in order, when a process cannot read %s', async (_case, behavior) => {
    behave(behavior);
    const service = await start().isReady();
    const pids = await service.pids();
    await respondingPids(service, 10);
    const sum = await service.metric('fixture_work_total');
    expect(sum).toEqual(behavior === 'unreadable' ? { '': 10 } : {});
    expect(await service.metric('fixture_rows')).toEqual({});
    expect(await service.metric('supervisor_deaths_total')).toEqual({ '': 0 });
    expect(await service.pids()).toEqual(pids);
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
  });

  it('stops all processes on SIGTERM, and completes their requests', async () => {
    const service = await start({ SHUTDOWN_TIMEOUT_MS: '60000' }).isReady();
    const pids = await service.pids();
    const waiting = [1, 2, 3].map(async () => (await fetch(`${service.url}/hold`)).status);
    await service.logs('holding a request', 3);
    service.signal('SIGTERM');
    await service.waitFor('503', async () => (await service.readiness()).status === 503);
    expect((await service.readiness()).body.status).toBe('stopping');
    behave('go');
    expect(await Promise.all(waiting)).toEqual([200, 200, 200]);
    expect(await service.ended).toBe(0);
    expect(pids.filter(isProcessRunning)).toEqual([]);
  });

  it('kills a process that does not stop in time, and exits with 1', async () => {
    const service = await start({ SHUTDOWN_TIMEOUT_MS: '500' }).isReady();
    const pids = await service.pids();
    void fetch(`${service.url}/block?ms=600000`).catch(() => undefined);
    await service.waitFor('a blocked process', async () => (await service.pids()).length === 1);
    service.signal('SIGTERM');
    expect(await service.ended).toBe(1);
    expect(pids.filter(isProcessRunning)).toEqual([]);
  });

  it('completes running requests and ends all processes when the supervisor was killed', async () => {
    const service = await start({ SHUTDOWN_TIMEOUT_MS: '60000' }).isReady();
    const pids = await service.pids();
    const waiting = fetch(`${service.url}/hold`);
    await service.logs('holding a request');
    service.signal('SIGKILL');
    await service.ended;
    behave('go');
    expect((await waiting).status).toBe(200);
    await service.waitFor('no process', () => !pids.some(isProcessRunning));
    await expect(work(service)).rejects.toThrow('fetch failed');
  });

  it('restarts a killed process, and still includes its earlier requests in the metrics', async () => {
    const service = await start().isReady();
    await respondingPids(service, 10);
    expect(await service.metric('fixture_work_total')).toEqual({ '': 10 });
    const [killed = 0, other = 0] = await service.pids();
    process.kill(killed, 'SIGKILL');
    expect(await service.logs('a process died and will be restarted')).toMatchObject({
      deadPid: killed,
      reason: 'SIGKILL',
      delayMs: 200,
    });
    // The other process serves all connections meanwhile.
    expect(await respondingPids(service, 4)).not.toContain(killed);
    await service.isReady();
    const pids = await service.pids();
    expect(pids).toContain(other);
    expect(pids).not.toContain(killed);
    await respondingPids(service, 4);
    expect(await service.metric('fixture_work_total')).toEqual({ '': 18 });
    expect(await service.metric('supervisor_deaths_total')).toEqual({ '': 1 });
  });

  it('responds 200 at /health/ready while any process is ready, and 503 while no process is ready', async () => {
    behave('unready');
    const service = start();
    await service.logs('serving /metrics');
    await service.waitFor('two processes', async () => (await service.readiness()).body.status === 'unavailable');
    await service.logs('listening', 2);
    const { status, body } = await service.readiness();
    expect(status).toBe(503);
    expect(Object.values(body.checks)).toContainEqual({ ok: false, detail: 'unavailable, behavior: unready' });
    behave('2');
    process.kill(Number(Object.keys(body.checks)[0]?.replace('process ', '')), 'SIGKILL');
    await service.waitFor('200', async () => (await service.readiness()).status === 200);
    expect((await service.readiness()).body.status).toBe('degraded');
  });

  it('exits with 1 when five processes died within a minute', async () => {
    behave('fail');
    const service = start({ PROCESSES: '4' });
    expect(await service.ended).toBe(1);
    expect(service.find('too many processes died within a minute: stopping')).toEqual([
      expect.objectContaining({ level: 'fatal', reason: 'exit code 3' }),
    ]);
    const delays = service.find('a process died and will be restarted').map(({ delayMs }) => delayMs);
    expect(delays).toEqual([200, 600, 1_800, 5_000]);
  });

  it('does not stop a ready process when restarts of another process fail', async () => {
    const service = await start().isReady();
    const [killed = 0, other = 0] = await service.pids();
    behave('fail');
    process.kill(killed, 'SIGKILL');
    await service.logs('a process died and will be restarted', 5);
    expect((await service.readiness()).body).toMatchObject({ status: 'degraded' });
    behave('2');
    await service.isReady();
    expect(await service.pids()).toContain(other);
  });
});

describe('SIGHUP to a process without a supervisor', () => {
  it('stops the process in order with exit code 1, so that a service manager restarts the process', async () => {
    const service = start({ PROCESSES: '1' });
    await service.logs('serving /metrics');
    const waiting = fetch(`${service.url}/wait?ms=600`);
    await delay(100);
    service.signal('SIGHUP');
    expect((await waiting).status).toBe(200);
    expect(await service.ended).toBe(1);
    expect(service.find('stopped')).toMatchObject([{ reason: 'SIGHUP', clean: true }]);
  });
});

describe('SIGHUP to the supervisor', () => {
  it('replaces all processes by the program on disk, and still includes their earlier requests in the metrics', async () => {
    const service = await start().isReady();
    const before = await service.pids();
    await respondingPids(service, 10);
    behave('2');
    service.signal('SIGHUP');
    await service.logs('all processes are replaced');
    const after = await service.pids();
    expect(after).toHaveLength(2);
    expect(before.filter((pid) => after.includes(pid) || isProcessRunning(pid))).toEqual([]);
    expect(await work(service)).toMatchObject({ behavior: '2' });
    expect(await service.metric('fixture_work_total')).toEqual({ '': 11 });
    expect(await service.metric('supervisor_deaths_total')).toEqual({ '': 0 });
    expect(await service.metric('fixture_drained_total')).toEqual({ '': 2 });
  });

  it('completes the requests of a process that is being replaced when SIGTERM follows', async () => {
    const service = await start({ SHUTDOWN_TIMEOUT_MS: '30000' }).isReady();
    const waiting = Array.from({ length: 4 }, async () => (await fetch(`${service.url}/wait?ms=9000`)).status);
    service.signal('SIGHUP');
    await service.waitFor('a replaced process', () =>
      service.find('stopping').some(({ reason }) => reason === 'replaced by another process'),
    );
    // A second signal within half a second is ignored in any case.
    await delay(700);
    service.signal('SIGTERM');
    expect(await Promise.all(waiting)).toEqual([200, 200, 200, 200]);
    expect(await service.ended).toBe(0);
  });

  it('replaces all other processes even if an old process dies while its successor starts', async () => {
    const service = await start().isReady();
    const before = await service.pids();
    behave('slow');
    service.signal('SIGHUP');
    await service.logs('listening', 3);
    process.kill(before[0]!, 'SIGKILL');
    await service.logs('all processes are replaced');
    await service.isReady();
    const after = await service.pids();
    expect(after).toHaveLength(2);
    expect(before.filter((pid) => after.includes(pid) || isProcessRunning(pid))).toEqual([]);
    // One successor for each process: none that is ready was stopped in favor of another one.
    expect(service.find('listening')).toHaveLength(4);
  });

  it.each([
    ['ends', 'fail', 'exit code 3'],
    ['dies soon after it is ready', 'dies', 'exit code 4'],
    ['does not become ready in time', 'unready', 'not ready within 2500 ms'],
  ])('leaves the old processes running when a new process %s', async (_case, behavior, reason) => {
    const service = await start({ REPLACEMENT_TIMEOUT_MS: '2500' }).isReady();
    const before = await service.pids();
    behave(behavior);
    service.signal('SIGHUP');
    const line = await service.logs('a new process failed: the processes not yet replaced continue');
    expect(line).toMatchObject({ level: 'error', reason });
    expect(await service.pids()).toEqual(before);
    await service.isReady();
  });
});

import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { createService, ProcessHealth, Metrics, type MetricsServer, startMetricsServer } from '../src/index.js';
import { serviceOptions } from './service-fixture.js';

let app: NestFastifyApplication;
afterEach(() => app.close());

describe('GET /health/live and /health/ready', () => {
  it('respond ok outside the global prefix of the service', async () => {
    app = await createService(serviceOptions({}, { configure: (nest) => void nest.setGlobalPrefix('api/v1') }));
    expect((await app.inject({ url: '/api/v1/things' })).statusCode).toBe(200);
    expect((await app.inject({ url: '/health/live' })).json()).toEqual({ status: 'ok' });
    expect((await app.inject({ url: '/health/ready' })).json()).toEqual({ status: 'ok', checks: {} });
  });

  it('respond 503 with the failed checks while a check fails, throws or hangs', async () => {
    const health = new ProcessHealth({ timeoutMs: 20 });
    health.addCheck('postgres', () => Promise.resolve({ ok: true }));
    health.addCheck('realm', () => Promise.resolve({ ok: false, detail: 'no realm: run admin create-realm' }));
    health.addCheck('redis', () => Promise.reject(new Error('connection refused')));
    health.addCheck('disk', () => new Promise(() => {}));
    app = await createService(serviceOptions({}, { health }));
    const ready = await app.inject({ url: '/health/ready' });
    expect(ready.statusCode).toBe(503);
    expect(ready.json()).toEqual({
      status: 'unavailable',
      checks: {
        postgres: { ok: true },
        realm: { ok: false, detail: 'no realm: run admin create-realm' },
        redis: { ok: false, detail: 'connection refused' },
        disk: { ok: false, detail: 'no response within 20 ms' },
      },
    });
    expect((await app.inject({ url: '/health/live' })).statusCode).toBe(200);
  });

  it('respond 200 degraded while only an optional check fails', async () => {
    const health = new ProcessHealth();
    health.addCheck('postgres', () => Promise.resolve({ ok: true }));
    health.addCheck('redis', () => Promise.reject(new Error('connection refused')), { isRequired: false });
    app = await createService(serviceOptions({}, { health }));
    const ready = await app.inject({ url: '/health/ready' });
    expect([ready.statusCode, ready.json()]).toEqual([
      200,
      { status: 'degraded', checks: { postgres: { ok: true }, redis: { ok: false, detail: 'connection refused' } } },
    ]);
  });

  it('run each check once when probes arrive concurrently', async () => {
    const health = new ProcessHealth();
    let asked = 0;
    health.addCheck('postgres', async () => {
      asked++;
      await new Promise((resolve) => setTimeout(resolve, 10));
      return { ok: true };
    });
    app = await createService(serviceOptions({}, { health }));
    await Promise.all([app.inject({ url: '/health/ready' }), app.inject({ url: '/health/ready' })]);
    expect(asked).toBe(1);
    await app.inject({ url: '/health/ready' });
    expect(asked).toBe(2);
  });

  it('log no request line at the default level', async () => {
    const options = serviceOptions();
    app = await createService(options);
    await app.inject({ url: '/health/live' });
    expect(options.lines.find('request')).toEqual([]);
  });
});

describe('GET /metrics on the metrics port', () => {
  let server: MetricsServer;
  afterEach(() => server.close());

  async function scrape(metrics: Metrics, path = '/metrics', init: RequestInit = {}): Promise<Response> {
    server = await startMetricsServer({ metrics, host: '127.0.0.1', port: 0 });
    return fetch(`http://127.0.0.1:${server.port}${path}`, init);
  }

  it('responds only on the metrics port, which serves nothing else', async () => {
    app = await createService(serviceOptions());
    expect((await app.inject({ url: '/metrics' })).statusCode).toBe(404);
    expect((await scrape(new Metrics(), '/health/ready')).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${server.port}/metrics`)).status).toBe(200);
  });

  it('returns the event loop lag, and request durations by route pattern', async () => {
    const options = serviceOptions();
    app = await createService(options);
    await app.inject({ url: '/things/1' });
    await app.inject({ url: '/things/2' });
    await app.inject({ url: '/nowhere' });
    const response = await scrape(options.metrics);
    const body = await response.text();
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(body).toContain('http_request_duration_seconds_count{method="GET",route="/things/:id",status="200"} 2\n');
    expect(body).toContain(
      'http_request_duration_seconds_bucket{le="+Inf",method="GET",route="/things/:id",status="200"} 2\n',
    );
    expect(body).toContain('http_request_duration_seconds_count{method="GET",route="unmatched",status="404"} 1\n');
    expect(body).toMatch(/^nodejs_eventloop_lag_seconds /m);
    expect(body).toMatch(/^process_resident_memory_bytes /m);
  });

  it('reads all gauges at each request and omits an unreadable gauge', async () => {
    const options = serviceOptions();
    const { metrics } = options;
    const pool = { totalCount: 1, idleCount: 1, waitingCount: 0 };
    metrics.addPoolMetrics('main', pool);
    metrics.addPoolMetrics('replica', { totalCount: 5, idleCount: 4, waitingCount: 3 });
    metrics.addGaugeReadAtScrape('outbox_rows', 'Rows', () => Promise.resolve([{ labels: { topic: 'a' }, value: 7 }]), [
      'topic',
    ]);
    metrics.addGaugeReadAtScrape('broken', 'Fails', () => Promise.reject(new Error('down')));
    metrics.addGaugeReadAtScrape('broken_rows', 'Fails', () => Promise.reject(new Error('down')), ['kind']);
    metrics.addCounterReadAtScrape('rung_total', 'Rings', () => [{ labels: { bell: 'a' }, value: 3 }], ['bell']);
    metrics.addCounter({ name: 'sent_total', help: 'Sent' }).inc(2);
    app = await createService(options);
    pool.totalCount = 9;
    await (await scrape(metrics)).text();
    const response = await fetch(`http://127.0.0.1:${server.port}/metrics`);
    const body = await response.text();
    expect(response.status).toBe(200);
    expect(body).toContain('db_pool_connections{pool="main",state="total"} 9\n');
    expect(body).toContain('db_pool_connections{pool="replica",state="waiting"} 3\n');
    expect(body).toContain('outbox_rows{topic="a"} 7\n');
    expect(body).toContain('# TYPE rung_total counter\nrung_total{bell="a"} 3\n');
    expect(body).toContain('sent_total 2\n');
    expect(body).not.toMatch(/^broken(_rows)?[ {]/m);
    expect(body).toMatch(/^metric_read_errors_total\{metric="broken"\} [12]$/m);
  });
});

import { createServer, type AddressInfo } from 'node:net';
import { context, propagation, trace } from '@opentelemetry/api';
import { findTracer } from '@switchboard/tracing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectTracingSpans, FakeClock, waitFor, type ProcessSpanCollection } from '../../testing/src/index.js';
import {
  ConfigError,
  createService,
  parseEnvironmentValues,
  platformEnvironmentSchema,
  Shutdown,
  startTracing,
  type ServiceOptions,
} from '../src/index.js';
import { LogLines, logTo, serviceOptions } from './service-fixture.js';

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const clientTrace = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${clientTrace}-00f067aa0ba902b7-01`;

describe('startTracing', () => {
  /** Starts the export of spans with a logger and a shutdown object that the test can inspect. */
  async function start(env: Record<string, string>, clock = new FakeClock()) {
    const lines = new LogLines();
    const logger = logTo(lines);
    const shutdown = new Shutdown({ timeoutMs: 60_000, logger, exit: () => {} });
    const config = parseEnvironmentValues(platformEnvironmentSchema, env);
    await startTracing({ name: 'test', config, logger, shutdown, clock, exportDelayMs: 10 });
    cleanups.push(async () => {
      for (const api of [trace, propagation, context]) api.disable();
    });
    return { lines, shutdown, clock };
  }

  it('registers no tracer provider without OTEL_EXPORTER_OTLP_ENDPOINT', async () => {
    const { shutdown, lines } = await start({});
    expect(findTracer('test')).toBeNull();
    await shutdown.run('test');
    expect(lines.find('shutdown step completed')).toEqual([]);
  });

  it('exports protobuf to /v1/traces with the configured headers, service name and attributes', async () => {
    const spans = await collectTracingSpans({
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=a%2Cb , authorization=Bearer%20hunter2',
      OTEL_SERVICE_NAME: 'orders',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging',
    });
    cleanups.push(() => spans.stop());
    findTracer('test')?.startSpan('some work').end();
    const { path, headers, body } = await waitFor(() => spans.collector.requests[0]);
    expect([path, headers['content-type']]).toEqual(['/v1/traces', 'application/x-protobuf']);
    expect(headers).toMatchObject({ 'x-team': 'a,b', authorization: 'Bearer hunter2' });
    for (const text of ['some work', 'service.name', 'orders', 'staging'])
      expect(body.toString('latin1')).toContain(text);
  });

  it.each([
    ['always_off', 0],
    ['traceidratio', 0],
    ['always_on', 1],
  ])('exports spans according to the sampler %s with the ratio 0', async (OTEL_TRACES_SAMPLER, count) => {
    const spans = await collectTracingSpans({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG: '0' });
    findTracer('test')?.startSpan('some work').end();
    await spans.stop();
    expect(spans.collector.spans).toHaveLength(count);
  });

  it('exports the remaining spans during the shutdown', async () => {
    const spans = await collectTracingSpans({}, { exportDelayMs: 3_600_000 });
    findTracer('test')?.startSpan('last work').end();
    await spans.stop();
    expect(spans.collector.spans).toMatchObject([{ name: 'last work' }]);
  });

  it('limits the time of the last export during the shutdown when the collector does not respond', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    cleanups.push(async () => silent.close());
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as AddressInfo;
    const { shutdown, lines, clock } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
    findTracer('test')?.startSpan('last work').end();
    const stopped = shutdown.run('test');
    await waitFor(() => clock.pendingTimerCount > 0);
    await clock.advanceTime(2_000);
    expect(await stopped).toBe(true);
    expect(lines.find('the last spans could not be exported in time')).toHaveLength(1);
  });

  it('logs a refused export without secrets', async () => {
    const refusing = await collectorThatRefuses();
    const { lines } = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: refusing.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hunter2',
    });
    findTracer('test')?.startSpan('work').end();
    await waitFor(() => lines.find('spans could not be exported').length > 0);
    expect(lines.find('spans could not be exported')).toMatchObject([{ level: 'warn', lostSpans: 1 }]);
    expect(lines.text).not.toContain('hunter2');
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'hunter2'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=hunter2%'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ])('refuses %s with the value %s by an error that names the variable', (name, value) => {
    const parse = (): unknown => parseEnvironmentValues(platformEnvironmentSchema, { [name]: value });
    expect(parse).toThrow(ConfigError);
    expect(parse).toThrow(name);
    expect(parse).not.toThrow('hunter2');
  });
});

/** Starts a test collector that rejects each export with status 400, so that the export is not repeated. */
async function collectorThatRefuses(): Promise<{ url: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      if (!chunk.toString('latin1').includes('POST ')) return;
      socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 7\r\nconnection: close\r\n\r\nhunter2');
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  cleanups.push(async () => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('span of a request', () => {
  let spans: ProcessSpanCollection;
  beforeEach(async () => {
    spans = await collectTracingSpans();
    cleanups.push(() => spans.stop());
  });

  async function serve(overrides: Partial<ServiceOptions> = {}) {
    const options = serviceOptions({}, overrides);
    const app: NestFastifyApplication = await createService(options);
    cleanups.push(() => app.close());
    return { app, lines: options.lines };
  }

  it("continues the client's trace with route and status, but without path or query", async () => {
    const { app, lines } = await serve();
    const response = await app.inject({
      method: 'GET',
      url: '/things/17?token=hunter2',
      headers: { traceparent, tracestate: 'vendor=1' },
    });
    const span = await spans.collector.waitForSpan('GET /things/:id');
    expect(span).toMatchObject({ kind: 'server', traceId: clientTrace, parentSpanId: '00f067aa0ba902b7' });
    expect(span.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/things/:id',
      'http.response.status_code': 200,
      'url.scheme': 'http',
      'switchboard.request.id': response.headers['x-request-id'],
    });
    expect(lines.find('request')).toMatchObject([{ traceId: clientTrace }]);
  });

  it('begins a trace, whose id the log lines of the request contain', async () => {
    const { app, lines } = await serve();
    await app.inject({ method: 'POST', url: '/things', headers: { traceparent: 'invalid' }, payload: { a: 1 } });
    const { traceId, parentSpanId } = await spans.collector.waitForSpan('POST /things');
    expect(parentSpanId).toBe('');
    expect(lines.find('added')).toMatchObject([{ traceId }]);
    expect(lines.find('request')).toMatchObject([{ traceId }]);
  });

  it('stays active while the handler runs, even after the request body was received', async () => {
    const { app } = await serve({
      configure: (_app, fastify) => {
        fastify.post('/active', async () => ({ spanId: trace.getActiveSpan()?.spanContext().spanId }));
      },
    });
    const { spanId } = (await app.inject({ method: 'POST', url: '/active', payload: { a: 1 } })).json();
    expect(await spans.collector.waitForSpan('POST /active')).toMatchObject({ spanId });
  });

  it('has failed for a response with status 500, and not for one with 404', async () => {
    const { app } = await serve();
    await app.inject({ method: 'GET', url: '/things/broken' });
    await app.inject({ method: 'GET', url: '/nowhere' });
    const broken = await spans.collector.waitForSpan('GET /things/broken');
    expect(broken).toMatchObject({ hasFailed: true, attributes: { 'error.type': '500' } });
    const unknown = await spans.collector.waitForSpan('GET');
    expect(unknown).toMatchObject({ hasFailed: false, attributes: { 'http.response.status_code': 404 } });
    expect(unknown.attributes).not.toHaveProperty('http.route');
  });

  it('does not exist for a health check', async () => {
    const { app } = await serve();
    await app.inject({ method: 'GET', url: '/health/live' });
    await app.inject({ method: 'GET', url: '/things' });
    await spans.collector.waitForSpan('GET /things');
    expect(spans.collector.spans.map(({ name }) => name)).toEqual(['GET /things']);
  });

  it('exists for a response that is sent before Fastify runs', async () => {
    const { app } = await serve({
      findDirectResponse: () =>
        Promise.resolve({ route: '/stored/:id', address: '', headers: {}, body: Buffer.from('stored') }),
    });
    await app.listen(0, '127.0.0.1');
    await fetch(`${await app.getUrl()}/stored/1`, { headers: { traceparent } });
    const span = await spans.collector.waitForSpan('GET /stored/:id');
    expect(span).toMatchObject({ traceId: clientTrace, attributes: { 'http.response.status_code': 200 } });
  });
});

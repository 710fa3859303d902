import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { collectTracingSpans, TraceCollector, waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BotService } from './test-bot-service.js';
import { type ChatCluster, chatCluster, signIn } from './chat-server.js';

const clientTrace = '0af7651916cd43dd8448eb211c80319c';
const clientSpan = 'b7ad6b7169203331';

let cluster: ChatCluster;
beforeAll(async () => {
  cluster = await chatCluster();
});
afterAll(() => cluster.stop());

describe('spans of POST /api/v1/messages', () => {
  it('connect the request, its outbox row, the job of the called bot and the request to its service', async () => {
    const { collector, stop } = await collectTracingSpans();
    const chat = await cluster.start({ BOT_CALL_ALLOW_LOOPBACK: 'true' });
    const service = await BotService.open();
    const hamlet = await signIn(chat, 'hamlet');
    const bot = await hamlet.client.post<{ user_id: number }>('/api/v1/bots', {
      form: { full_name: 'Traced Bot', short_name: 'traced', bot_type: 3, payload_url: service.url },
    });
    const traceparent = `00-${clientTrace}-${clientSpan}-01`;
    await hamlet.client.withHeaders({ traceparent }).post('/api/v1/messages', {
      form: { type: 'direct', to: JSON.stringify([bot.body.user_id]), content: 'the launch code' },
    });
    const call = await service.nth(1);
    const isOurs = ({ traceId }: { traceId: string }): boolean => traceId === clientTrace;
    const find = (name: string) => collector.waitForSpan(name, isOurs);
    const request = await find('POST /api/v1/messages');
    const row = await find('add chat.bot-call');
    const dispatch = await find('dispatch chat.bot-call');
    const job = await find('add bots.call');
    const run = await find('run bots.call');
    const outbound = await find('POST');
    const event = await find('add event-log');
    expect(request).toMatchObject({ parentSpanId: clientSpan, kind: 'server' });
    expect([row, event, dispatch, job, run, outbound].map(({ parentSpanId }) => parentSpanId)).toEqual([
      request.spanId,
      request.spanId,
      row.spanId,
      row.spanId,
      job.spanId,
      run.spanId,
    ]);
    expect(dispatch.links).toEqual([{ traceId: clientTrace, spanId: row.spanId }]);
    expect(run.links).toEqual([{ traceId: clientTrace, spanId: job.spanId }]);
    expect(call.headers['traceparent']).toBe(`00-${clientTrace}-${outbound.spanId}-01`);
    await Promise.all([chat.stop(), service.close()]);
    await stop();
    expect(Buffer.concat(collector.requests.map(({ body }) => body)).toString()).not.toContain('launch code');
  });
});

describe('bundle of the chat service', () => {
  it('exports spans if OTEL_EXPORTER_OTLP_ENDPOINT is set, including the spans that end during the shutdown', async () => {
    const collector = await TraceCollector.start();
    const { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX } = (await cluster.start({ ROLE: 'api' })).runtime.config;
    const service = spawn(process.execPath, [join(import.meta.dirname, '../dist/bundle.js')], {
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'test',
        PORT: '0',
        METRICS_PORT: '0',
        DATABASE_URL,
        REDIS_URL,
        REDIS_KEY_PREFIX,
        ...collector.environment,
        OTEL_BSP_SCHEDULE_DELAY: '3600000',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(service, 'exit');
    let url = '';
    createInterface({ input: service.stdout }).on('line', (line) => {
      if (line.includes('"listening"')) url = String((JSON.parse(line) as { url: unknown }).url);
    });
    await waitFor(() => url !== '' || service.exitCode !== null, { what: 'a process that listens' });
    expect((await fetch(`${url}/api/v1/server_settings`)).status).toBe(200);
    service.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    const span = await collector.waitForSpan('GET /api/v1/server_settings');
    expect(span.resource).toMatchObject({ 'service.name': 'chat', 'telemetry.sdk.language': 'nodejs' });
    await collector.close();
  });
});

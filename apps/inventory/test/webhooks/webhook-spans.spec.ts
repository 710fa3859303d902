import { reserveLocalPort, TraceCollector, waitFor } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from '../support/test-service.js';
import { InventoryProcess } from '../support/start-inventory-process.js';
import { Receiver } from './test-receiver.js';

let test: TestInventory;
const receiver = new Receiver();
let service: InventoryProcess | undefined;

beforeAll(async () => {
  test = await startInventory();
  await receiver.start();
  const hook = await test.api.post<{ id: number }>('/api/extras/webhooks/', {
    json: { name: 'hook', payload_url: `${receiver.url}?token=hunter2`, secret: 'hunter2' },
  });
  await test.api.post('/api/extras/event-rules/', {
    json: {
      name: 'rule',
      object_types: ['dcim.site'],
      event_types: ['object_created'],
      action_type: 'webhook',
      action_object_type: 'extras.webhook',
      action_object_id: hook.body.id,
    },
  });
  await test.inventory.database.query('TRUNCATE queue.outbox');
});
afterEach(async () => {
  await service?.kill();
  receiver.requests.length = 0;
});
afterAll(async () => {
  await receiver.stop();
  await test.close();
});

async function addSite(started: InventoryProcess, name: string): Promise<void> {
  const added = await started.call('POST', '/api/dcim/sites/', { name, slug: name });
  expect(added.status).toBe(201);
  await waitFor(() => receiver.requests.length > 0, { what: 'the webhook' });
}

describe('bundle of the inventory service', () => {
  it('exports the spans of a write, its delivery and the webhook request as one trace', async () => {
    const collector = await TraceCollector.start();
    service = await InventoryProcess.start(test, { ...collector.environment, OTEL_SERVICE_NAME: 'stock' });
    await addSite(service, 'traced');
    const request = await collector.waitForSpan('POST /api/:app/:model');
    expect(request.attributes).toMatchObject({ 'http.request.method': 'POST', 'http.response.status_code': 201 });
    const isOurs = ({ traceId }: { traceId: string }): boolean => traceId === request.traceId;
    const find = (name: string) => collector.waitForSpan(name, isOurs);
    const row = await find('add inventory.changes');
    const dispatch = await find('dispatch inventory.changes');
    const run = await find('run webhooks.deliver');
    const delivery = await find('deliver webhook');
    const outbound = await find('POST');
    expect(row.parentSpanId).toBe(request.spanId);
    expect(dispatch).toMatchObject({ parentSpanId: row.spanId, links: [{ spanId: row.spanId }] });
    expect(delivery).toMatchObject({
      parentSpanId: run.spanId,
      attributes: { 'switchboard.webhook.attempt': 1, 'switchboard.webhook.outcome': 'succeeded' },
      resource: { 'service.name': 'stock' },
    });
    expect(outbound.parentSpanId).toBe(delivery.spanId);
    expect(receiver.requests[0]?.headers['traceparent']).toBe(`00-${request.traceId}-${outbound.spanId}-01`);
    expect(Buffer.concat(collector.requests.map(({ body }) => body)).toString()).not.toContain('hunter2');
    await collector.close();
  });

  it('sends webhooks without traceparent if OTEL_EXPORTER_OTLP_ENDPOINT is not set', async () => {
    service = await InventoryProcess.start(test, {});
    await addSite(service, 'untraced');
    expect(receiver.requests[0]?.headers).not.toHaveProperty('traceparent');
  });

  it('serves requests while the collector is down, and logs one line about lost spans', async () => {
    const started = await InventoryProcess.start(test, {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await reserveLocalPort()}`,
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    });
    service = started;
    const lost = (): string[] => started.log.filter((line) => line.includes('spans could not be exported'));
    await addSite(started, 'lost');
    await waitFor(() => lost().length > 0, { what: 'the log line about lost spans' });
    expect((await started.call('GET', '/api/dcim/sites/')).status).toBe(200);
    expect(lost()).toHaveLength(1);
  });
});

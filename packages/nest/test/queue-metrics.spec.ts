import { Injectable } from '@nestjs/common';
import { EventLog, Jobs, Outbox } from '@switchboard/queue';
import { waitFor } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { OnJob, OnOutboxMessage, QueueMetrics, QueueModule } from '../src/index.js';
import { closeApplications, orderPlaced, QueueServers, sendReceipt, startApplication } from './queue-test-service.js';

let servers: QueueServers;

beforeAll(async () => {
  servers = await QueueServers.open();
});

afterEach(closeApplications);

afterAll(() => servers.close());

@Injectable()
class Work {
  ran = 0;

  @OnOutboxMessage(orderPlaced)
  async dispatch(): Promise<void> {
    this.ran += 1;
  }

  @OnJob(sendReceipt)
  async send(): Promise<void> {
    this.ran += 1;
  }
}

describe('QueueMetrics', () => {
  it('renders the metrics of outbox, jobs and event log in the format of Prometheus', async () => {
    const options = { ...servers.connections, jobs: { definitions: [sendReceipt] }, eventLog: {} };
    const application = await startApplication([QueueModule.forRoot(options)], [Work]);
    await servers.placeOrder(application.get(Outbox), 1);
    await application.get(Jobs).add(sendReceipt, { orderId: 1 });
    const metrics = application.get(QueueMetrics);
    const counts = [
      'outbox_dispatched_total{topic="orders.placed"} 1',
      'job_attempts_total{job="receipts.send",outcome="completed"} 1',
      'jobs{job="receipts.send",state="waiting"} 0',
      'event_queues 0',
    ];
    const rendered = await waitFor(async () => {
      const text = await metrics.render();
      return counts.every((line) => text.includes(`\n${line}\n`)) && text;
    });
    expect(rendered).toContain('# TYPE event_log_appended_total counter\n');
    expect(metrics.list('orders_').map(({ name }) => name)).toContain('orders_outbox_rows');
  });

  it('registers only the metrics of the parts that the service has', async () => {
    const application = await startApplication([QueueModule.forRoot(servers.connections)]);
    const names: string[] = [];
    const registry = {
      addGaugeReadAtScrape: (name: string) => void names.push(`${name} is a gauge`),
      addCounterReadAtScrape: (name: string) => void names.push(`${name} is a counter`),
    };
    application.get(QueueMetrics).registerIn(registry, 'shop_');
    expect(names).toEqual([
      'shop_outbox_rows is a gauge',
      'shop_outbox_set_aside_rows is a gauge',
      'shop_outbox_dispatched_total is a counter',
      'shop_outbox_oldest_age_seconds is a gauge',
    ]);
    expect(() => application.get(EventLog)).toThrow('could not find EventLog');
  });
});

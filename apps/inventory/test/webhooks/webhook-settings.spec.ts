import { describe, expect, it } from 'vitest';
import { nextDelayMs, type DeliveryRetryPolicy } from '@switchboard/webhooks';
import { webhookEnvironmentVariables, createWebhookSettings } from '../../src/webhooks/webhook-settings.js';
import { createWebhookSignatureHeaders } from '../../src/destinations/webhook/signatures.js';
import { parseAdditionalHeaders } from '../../src/destinations/webhook/request.js';

const shipped = createWebhookSettings({ ...webhookEnvironmentVariables.parse({}), NODE_ENV: 'production' });

function waits(policy: DeliveryRetryPolicy, random: number): number[] {
  const all: number[] = [];
  for (let failures = 1; ; failures += 1) {
    const delayMs = nextDelayMs(policy, { failures, random });
    if (delayMs === null) return all;
    all.push(delayMs);
  }
}

describe('webhook settings', () => {
  it('allow six attempts over about an hour by default', () => {
    expect(waits(shipped.retry, 0.5)).toEqual([10_000, 40_000, 160_000, 640_000, 2_560_000]);
    for (const random of [0, 0.999]) {
      const total = waits(shipped.retry, random).reduce((sum, wait) => sum + wait, 0);
      expect(total).toBeGreaterThan(50 * 60_000);
      expect(total).toBeLessThan(65 * 60_000);
    }
  });

  it('allow only public addresses in production, and also the local machine in development', () => {
    expect(shipped.outbound.policy).toEqual({
      allowLoopback: false,
      allowPrivate: false,
      allowHosts: [],
      allowNetworks: [],
    });
    const development = createWebhookSettings({ ...webhookEnvironmentVariables.parse({}), NODE_ENV: 'development' });
    expect(development.outbound.policy.allowLoopback).toBe(true);
    const closed = createWebhookSettings({
      ...webhookEnvironmentVariables.parse({ WEBHOOK_ALLOW_LOOPBACK: 'false' }),
      NODE_ENV: 'development',
    });
    expect(closed.outbound.policy.allowLoopback).toBe(false);
  });

  it('give a delivery attempt more time than its HTTP request takes at most', () => {
    expect(shipped).toMatchObject({ leaseMs: 45_000, sweepMs: 10_000, overdueMs: 20_000, concurrency: 20 });
    expect(shipped.outbound).toMatchObject({
      connectTimeoutMs: 5_000,
      headersTimeoutMs: 15_000,
      totalTimeoutMs: 30_000,
    });
  });

  it('disable retries if their number is 0', () => {
    const settings = createWebhookSettings({
      ...webhookEnvironmentVariables.parse({ WEBHOOK_RETRIES: '0' }),
      NODE_ENV: 'production',
    });
    expect(nextDelayMs(settings.retry, { failures: 1, random: 0.5 })).toBeNull();
  });
});

describe('Standard Webhooks signature', () => {
  it('equals the example of the specification', () => {
    const headers = createWebhookSignatureHeaders({
      deliveryId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      body: Buffer.from('{"test": 2432232314}'),
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      nowMs: 1_614_265_330_999,
    });
    expect(headers['webhook-timestamp']).toBe('1614265330');
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });
});

describe('additional headers', () => {
  it('consist of the trimmed lines with a colon, and the last line of each name counts', () => {
    const headers = parseAdditionalHeaders(
      ' X-One : a:b \r\nnothing\n\nx-one: c\rX-Two:\nWebhook-Signature: v1,forged',
    );
    expect([...headers]).toEqual([
      ['x-one', 'c'],
      ['x-two', ''],
    ]);
  });
});

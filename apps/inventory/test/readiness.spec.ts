import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

let test: TestInventory;

beforeAll(async () => {
  test = await startInventory({ REDIS_URL: 'redis://127.0.0.1:1' });
});

afterAll(() => test.close());

describe('GET /health/ready', () => {
  it('responds degraded and names Redis while Redis is unavailable', async () => {
    const response = await test.fastify.inject({ url: '/health/ready' });
    const report: unknown = response.json();
    expect([response.statusCode, report]).toEqual([
      200,
      {
        status: 'degraded',
        checks: expect.objectContaining({ database: { ok: true }, redis: { ok: false, detail: expect.any(String) } }),
      },
    ]);
  });
});

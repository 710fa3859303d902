import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatCluster, type ChatCluster, type ChatProcess } from '../../test/chat-server.js';

let cluster: ChatCluster;
let server: ChatProcess;

beforeAll(async () => {
  cluster = await chatCluster();
  server = await cluster.start({ REDIS_URL: 'redis://127.0.0.1:1' });
});

afterAll(() => cluster.stop());

describe('GET /health/ready', () => {
  it('responds degraded and names Redis while Redis is unavailable', async () => {
    const response = await server.app.getHttpAdapter().getInstance().inject({ url: '/health/ready' });
    const report: unknown = response.json();
    expect([response.statusCode, report]).toEqual([
      200,
      {
        status: 'degraded',
        checks: expect.objectContaining({ postgres: { ok: true }, redis: { ok: false, detail: expect.any(String) } }),
      },
    ]);
  });
});

import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { createService } from '../src/index.js';
import { serviceOptions } from './service-fixture.js';

let app: NestFastifyApplication | undefined;

afterEach(async () => {
  await app?.close();
  app = undefined;
});

async function start(...args: Parameters<typeof serviceOptions>) {
  const options = serviceOptions(...args);
  app = await createService(options);
  return { app, ...options };
}


describe('requests', () => {
  it('answers a Nest route, and HEAD with the same headers and no body', async () => {
    const { app } = await start();
    const get = await app.inject({ url: '/things/7' });
    const head = await app.inject({ method: 'HEAD', url: '/things/7' });
    expect(get.json()).toEqual({ id: '7' });
    expect(head.statusCode).toBe(200);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect(head.body).toBe('');
  });
});

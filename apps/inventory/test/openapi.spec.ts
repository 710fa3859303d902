import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openapi, startInventory, type TestInventory } from './support/test-service.js';

interface Response {
  readonly $ref?: string;
  readonly headers?: object;
}

interface Operation {
  readonly responses: Readonly<Record<string, Response>>;
  readonly requestBody?: { readonly required?: boolean };
}

let test: TestInventory;

beforeAll(async () => {
  test = await startInventory();
});
afterAll(() => test.close());

const methods = ['get', 'put', 'post', 'delete', 'patch', 'options'] as const;
const paths = Object.entries(openapi.paths ?? {}).map(([path, item]) => {
  const operations = methods.flatMap((method) => {
    const operation: Operation | undefined = Reflect.get(Object(item), method);
    return operation === undefined ? [] : [[method.toUpperCase(), operation] as const];
  });
  return { path, operations: new Map(operations) };
});

const concrete = (path: string): string =>
  path
    .replace('{id}', '999999')
    .replaceAll(/\{(\w*id|uuid)\}/g, '5f0f8a57-2f0c-4b7a-9d5b-0e4f5a3f7a11')
    .replaceAll(/\{\w+\}/g, 'x');

describe('Allow header of a response', () => {
  it('lists the documented methods of each path, and HEAD if GET is documented', async () => {
    const wrong: unknown[] = [];
    for (const { path, operations } of paths) {
      const { headers } = await test.fastify.inject({
        method: 'OPTIONS',
        url: concrete(path),
        headers: { authorization: `Token ${test.adminToken}` },
      });
      const documented = [...operations.keys(), ...(operations.has('GET') ? ['HEAD'] : [])].toSorted();
      const named = String(headers['allow']).split(', ').toSorted();
      if (named.join() !== documented.join()) wrong.push({ path, documented, named });
    }
    expect(wrong).toEqual([]);
  });
});

describe('OpenAPI document of inventory', () => {
  it('declares status 503 with Retry-After for every operation', () => {
    const shared = Object(openapi.components?.responses?.['Unavailable']) as Response;
    expect(Object.keys(shared.headers ?? {})).toEqual(['Retry-After']);
    const lacking = paths.flatMap(({ path, operations }) =>
      [...operations].flatMap(([method, { responses }]) => {
        const response = responses['503'];
        const isShared = response?.$ref === '#/components/responses/Unavailable';
        return isShared || 'Retry-After' in (response?.headers ?? {}) ? [] : [`${method} ${path}`];
      }),
    );
    expect(lacking).toEqual([]);
  });
});

describe('request without a body', () => {
  it('responds 4xx at every path without an id when the body is documented as required', async () => {
    const wrong: unknown[] = [];
    for (const { path, operations } of paths) {
      if (path.includes('{')) continue;
      for (const [method, operation] of operations) {
        if (operation.requestBody?.required !== true) continue;
        const { statusCode } = await test.fastify.inject({
          method: method as 'POST',
          url: path,
          headers: { authorization: `Token ${test.adminToken}` },
        });
        if (statusCode < 400 || statusCode > 499) wrong.push({ path, method, statusCode });
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('PUT and PATCH of one object', () => {
  it('require a body exactly when the OpenAPI document marks the body as required', async () => {
    const site = await test.api.post<{ id: number }>('/api/dcim/sites/', { json: { name: 'a', slug: 'a' } });
    const url = `/api/dcim/sites/${site.body.id}/`;
    const headers = { authorization: `Token ${test.adminToken}` };
    const documented = paths.find(({ path }) => path === '/api/dcim/sites/{id}/')?.operations;
    expect(documented?.get('PUT')?.requestBody?.required).toBe(true);
    expect((await test.fastify.inject({ method: 'PUT', url, headers })).statusCode).toBe(400);
    expect(documented?.get('PATCH')?.requestBody?.required).toBe(false);
    expect((await test.fastify.inject({ method: 'PATCH', url, headers })).statusCode).toBe(200);
  });
});

describe('POST /api/ipam/prefixes/{id}/available-…/', () => {
  it.each([
    ['available-ips', 201, '10.8.0.0/24'],
    ['available-prefixes', 400, '10.9.0.0/24'],
  ])(
    'requires a body at %s exactly when the OpenAPI document marks the body as required',
    async (name, status, prefix) => {
      const json = { prefix, status: 'container' };
      const { body } = await test.api.post<{ id: number }>('/api/ipam/prefixes/', { json });
      const operations = paths.find(({ path }) => path === `/api/ipam/prefixes/{id}/${name}/`)?.operations;
      expect(operations?.get('POST')?.requestBody?.required).toBe(status === 400);
      const url = `/api/ipam/prefixes/${body.id}/${name}/`;
      const headers = { authorization: `Token ${test.adminToken}` };
      expect((await test.fastify.inject({ method: 'POST', url, headers })).statusCode).toBe(status);
    },
  );
});

describe('QUERY request', () => {
  it.each(['/api/dcim/sites/', '/api/dcim/sites/1/', '/api/', '/api/status/'])('responds 405 at %s', async (path) => {
    if (!test.fastify.server.listening) await test.fastify.listen({ port: 0, host: '127.0.0.1' });
    const { port } = test.fastify.server.address() as AddressInfo;
    const headers = { authorization: `Token ${test.adminToken}`, 'content-type': 'application/json' };
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request({ port, path, method: 'QUERY', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.once('error', reject);
      sent.end('{}');
    });
    expect(status).toBe(405);
  });
});

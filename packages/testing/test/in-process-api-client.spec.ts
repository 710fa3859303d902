import { fastify, type FastifyInstance } from 'fastify';
import { createOpenApiDocument, type EndpointDescription } from '@switchboard/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { InProcessApiClient } from '../src/index.js';

const user = z.object({ id: z.int(), name: z.string(), at: z.iso.datetime().nullable() }).meta({ id: 'User' });

const endpoints: EndpointDescription[] = [
  {
    method: 'get',
    path: '/users/{id}',
    operationId: 'getUser',
    summary: 'One user',
    tags: ['users'],
    pathParams: z.object({ id: z.string() }),
    query: z.object({ fields: z.string().optional() }),
    responses: { 200: { description: 'The user', schema: user } },
    security: 'none',
  },
  {
    method: 'get',
    path: '/users/me',
    operationId: 'getOwnUser',
    summary: 'Oneself',
    tags: ['users'],
    responses: { 200: { description: 'A text', schema: z.object({ me: z.literal(true) }) } },
    security: 'none',
  },
  {
    method: 'post',
    path: '/users',
    operationId: 'addUser',
    summary: 'Adds a user',
    tags: ['users'],
    body: [
      { contentType: 'application/json', schema: z.object({ name: z.string() }) },
      { contentType: 'application/x-www-form-urlencoded', schema: z.object({ name: z.string() }) },
    ],
    responses: { 201: { description: 'Added', schema: user }, 204: { description: 'Nothing to say' } },
    security: 'none',
  },
];

const openapi = createOpenApiDocument({
  title: 'Users',
  version: '1',
  description: '',
  endpoints,
  securitySchemes: {},
});

let server: FastifyInstance;
let served: { status: number; body?: unknown; type?: string };
let client: InProcessApiClient;

beforeAll(async () => {
  server = fastify();
  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_r, body, done) =>
    done(null, body),
  );
  server.all('/*', (request, reply) =>
    reply
      .code(served.status)
      .header('x-seen', `${request.headers['x-a']} ${request.headers['x-b']}`)
      .type(served.type ?? 'application/json')
      .send(served.body),
  );
  await server.ready();
  client = new InProcessApiClient(server, { openapi });
});

afterAll(() => server.close());

const ada = { id: 1, name: 'Ada', at: '2026-01-01T00:00:00Z' };

describe('response that InProcessApiClient checks against the OpenAPI document', () => {
  it('passes and is parsed if the document declares the response', async () => {
    served = { status: 200, body: ada };
    const response = await client.get<typeof ada>('/users/1', { query: { fields: 'name' } });
    expect(response).toMatchObject({ status: 200, body: { name: 'Ada' } });
  });

  it('matches a literal path rather than with a path with a parameter', async () => {
    served = { status: 200, body: { me: true } };
    await expect(client.get('/users/me')).resolves.toMatchObject({ body: { me: true } });
  });

  it('fails when its body has an undeclared key', async () => {
    served = { status: 200, body: { ...ada, password: 'x' } };
    await expect(client.get('/users/1')).rejects.toThrow(
      'GET /users/1 → 200 breaks the contract:\n  - the body has the undeclared key "password"',
    );
  });

  it('fails with a wrong type, a missing key and a malformed date', async () => {
    served = { status: 200, body: { id: 'one', at: 'yesterday' } };
    const refusal = expect(client.get('/users/1')).rejects;
    await refusal.toThrow(/must have required property 'name'[^]*\/id must be integer, got "one"[^]*date-time/);
  });

  it('fails when its status is undeclared, and the error shows the response', async () => {
    served = { status: 500, body: { oops: true } };
    await expect(client.get('/users/1')).rejects.toThrow(/status 500 is not declared[^]*"oops":true/);
  });

  it('fails with an undeclared media type', async () => {
    served = { status: 200, body: '<p>', type: 'text/html' };
    await expect(client.get('/users/1')).rejects.toThrow('media type "text/html" is not declared');
  });

  it('may be empty if no body is declared', async () => {
    served = { status: 204 };
    await expect(client.post('/users', { json: { name: 'Ada' } })).resolves.toMatchObject({ status: 204, text: '' });
  });

  it('fails if an undeclared path or method responds with success, but not with 404 or 405', async () => {
    served = { status: 200, body: {} };
    await expect(client.get('/groups')).rejects.toThrow('the document has no such operation');
    await expect(client.delete('/users/1')).rejects.toThrow('the document has no such operation');
    await expect(client.get('/groups', { unchecked: true })).resolves.toMatchObject({ status: 200 });
    served = { status: 405, body: {} };
    await expect(client.delete('/users/1')).resolves.toMatchObject({ status: 405 });
  });
});

describe('request that InProcessApiClient checks against the OpenAPI document', () => {
  it('fails with an undeclared query parameter if the response is a success', async () => {
    served = { status: 200, body: ada };
    await expect(client.get('/users/1', { query: { colour: 'red' } })).rejects.toThrow(
      'the query parameter "colour" is not declared',
    );
  });

  it('fails with an undeclared body parameter if the response is a success, in JSON and in forms', async () => {
    served = { status: 201, body: ada };
    const named = 'the body parameter "nick" is not declared';
    await expect(client.post('/users', { json: { name: 'Ada', nick: 'A' } })).rejects.toThrow(named);
    await expect(client.post('/users', { form: { name: 'Ada', nick: 'A' } })).rejects.toThrow(named);
    await expect(client.post('/users', { form: { name: 'Ada' } })).resolves.toMatchObject({ status: 201 });
  });

  it('contains the headers of the client and the headers of the call', async () => {
    served = { status: 200, body: ada };
    const response = await client.withHeaders({ 'x-a': '1' }).get('/users/1', { headers: { 'x-b': '2' } });
    expect(response.headers['x-seen']).toBe('1 2');
  });
});

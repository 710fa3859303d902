import { Controller, Get, Post } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createOpenApiDocument } from './create-document.js';
import { collectEndpoints, DescribeEndpoint } from './describe-endpoint.js';
import type { EndpointDescription } from './endpoint-description.js';

function endpoint(overrides: Partial<EndpointDescription> = {}): EndpointDescription {
  return {
    method: 'get',
    path: '/things',
    operationId: 'listThings',
    summary: 'Things',
    tags: ['things'],
    responses: { 200: { description: 'All of them', schema: z.object({ ok: z.boolean() }) } },
    security: 'none',
    ...overrides,
  };
}

function document(...endpoints: EndpointDescription[]) {
  return createOpenApiDocument({ title: 'T', version: '1', description: '', endpoints, securitySchemes: {} });
}

function returningRows(schema: z.ZodType): EndpointDescription {
  return endpoint({ responses: { 200: { description: 'x', schema } } });
}

describe('createOpenApiDocument', () => {
  it('describes parameters, bodies, responses and security', () => {
    const made = document(
      endpoint({
        method: 'patch',
        path: '/things/{id}',
        pathParams: z.object({ id: z.int() }),
        query: z.object({ q: z.string().optional() }),
        headerParams: z.object({ 'X-Mark': z.string() }),
        body: [{ contentType: 'application/json', schema: z.object({ name: z.string() }) }],
        responses: {
          204: {
            description: 'Done',
            headers: { Count: { description: 'n' }, Mark: { description: 'm', type: 'string' } },
          },
        },
        security: ['basic'],
        scope: 'write',
      }),
    );
    expect(made.openapi).toBe('3.1.1');
    expect(made.paths?.['/things/{id}']?.patch).toMatchObject({
      security: [{ basic: ['write'] }],
      parameters: [
        { in: 'path', name: 'id', required: true, schema: { type: 'integer' } },
        { in: 'query', name: 'q', schema: { type: 'string' } },
        { in: 'header', name: 'X-Mark', required: true, schema: { type: 'string' } },
      ],
      requestBody: { required: true },
      responses: {
        204: {
          description: 'Done',
          headers: { Count: { schema: { type: 'integer', minimum: 0 } }, Mark: { schema: { type: 'string' } } },
        },
      },
    });
  });

  it('forbids additional properties in responses, and converts schemas with an id into components', () => {
    const made = document(returningRows(z.object({ name: z.string().nullable() }).meta({ id: 'Thing' })));
    expect(made.components?.schemas?.['Thing']).toEqual({
      type: 'object',
      properties: { name: { type: ['string', 'null'] } },
      required: ['name'],
      additionalProperties: false,
    });
  });

  it('omits only the bounds of safe integers and patterns that a format implies', () => {
    const made = document(
      returningRows(
        z.object({
          n: z.int(),
          small: z.int().max(9),
          id: z.uuid(),
          at: z.iso.datetime(),
          slug: z.string().regex(/^a$/),
        }),
      ),
    );
    expect(made.paths?.['/things']?.get?.responses?.['200'].content['application/json'].schema.properties).toEqual({
      n: { type: 'integer' },
      small: { type: 'integer', maximum: 9 },
      id: { type: 'string', format: 'uuid' },
      at: { type: 'string', format: 'date-time' },
      slug: { type: 'string', pattern: '^a$' },
    });
  });

  it('produces the same text regardless of the order of endpoints', () => {
    const a = returningRows(z.object({ a: z.string() }).meta({ id: 'A' }));
    const b = endpoint({
      path: '/others',
      operationId: 'listOthers',
      responses: { 200: { description: 'x', schema: z.object({ b: z.string() }).meta({ id: 'B' }) } },
    });
    expect(JSON.stringify(document(b, a))).toBe(JSON.stringify(document(a, b)));
  });

  it.each([
    [
      'an open object',
      z.object({ deep: z.array(z.looseObject({ a: z.string() })) }),
      'deep[] is an object open to undeclared keys',
    ],
    ['an unknown value', z.object({ value: z.unknown() }), 'value has no type'],
    ['a map of unknown values', z.object({ map: z.record(z.string(), z.unknown()) }), 'map{} has no type'],
    ['an open branch', z.union([z.string(), z.looseObject({})]), 'the body is an object open to undeclared keys'],
    [
      'an open component',
      z.object({ c: z.looseObject({}).meta({ id: 'Loose' }) }),
      'c is an object open to undeclared keys',
    ],
  ])('rejects %s in a response, naming endpoint and location', (_name, schema, problem) => {
    expect(() => document(returningRows(schema))).toThrow(`GET /things, response 200: ${problem}`);
  });

  it('accepts declared JSON, maps of typed values and recursive schemas', () => {
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree);
      },
    });
    const schema = z.object({
      custom: z.unknown().meta({ json: true }),
      either: z.record(z.string(), z.unknown().meta({ json: true })).nullable(),
      counts: z.record(z.string(), z.int()),
      tree,
    });
    const made = document(returningRows(schema));
    expect(
      made.paths?.['/things']?.get?.responses?.['200'].content['application/json'].schema.properties.custom,
    ).toEqual({
      'x-any-json': true,
    });
  });

  it('rejects duplicate endpoints, repeated operationIds and undescribed path parameters', () => {
    expect(() => document(endpoint(), endpoint({ operationId: 'other' }))).toThrow('GET /things is described twice');
    expect(() => document(endpoint(), endpoint({ path: '/x' }))).toThrow('operationId of another endpoint: listThings');
    expect(() => document(endpoint({ path: '/things/{id}' }))).toThrow('path parameters [id] but describes []');
  });
});

describe('collectEndpoints', () => {
  const described = { operationId: 'one', summary: 's', tags: [], responses: {}, security: 'none' } as const;

  @Controller('things')
  class Things {
    @Get(':id')
    @DescribeEndpoint({ ...described, tags: [] })
    one(): void {}

    @DescribeEndpoint({ ...described, operationId: 'add', tags: [], path: '/elsewhere' })
    @Post()
    add(): void {}
  }

  it('derives method and path from Nest decorators by default', () => {
    const endpoints = collectEndpoints([Things], { prefix: '/api/v1' });
    expect(endpoints.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'get /api/v1/things/{id}',
      'post /elsewhere',
    ]);
  });

  it('rejects a route without a description', () => {
    @Controller()
    class Forgotten {
      @Get()
      list(): void {}
    }
    expect(() => collectEndpoints([Forgotten])).toThrow('Forgotten.list is a route without @DescribeEndpoint');
  });
});

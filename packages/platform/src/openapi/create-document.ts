import { createDocument, type oas31, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { z } from 'zod';
import { findUndocumentedContent } from './find-undocumented-content.js';
import { endpointMethods, type EndpointDescription, type ResponseDescription } from './endpoint-description.js';
import { simplifyJsonSchema } from './simplify-schema.js';

const formContentTypes: ReadonlySet<string> = new Set(['application/x-www-form-urlencoded', 'multipart/form-data']);

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = oas31.OpenAPIObject;

/** Parts of the OpenAPI document of a service. Schemas are zod schemas. */
export interface OpenApiOptions {
  title: string;
  version: string;
  /** Description of the API in Markdown. */
  description: string;
  endpoints: EndpointDescription[];
  /** Security schemes of the API by name. The property `security` of endpoints contains these names. */
  securitySchemes: Record<string, oas31.SecuritySchemeObject>;
  servers?: oas31.ServerObject[];
  /**
   * Responses that all endpoints have, by HTTP status. An endpoint's own response with the same status takes
   * precedence.
   */
  commonResponses?: Record<number, ResponseDescription>;
}

/**
 * Creates the OpenAPI 3.1.1 document of a service from its zod schemas. Schemas with `.meta({ id })` become components.
 * The same input gives the same bytes: paths and components are sorted, everything else keeps its declared order.
 *
 * @throws Error naming the endpoint when two share a method and path or an operationId, or when path and `pathParams`
 *   differ. Also when a response schema is open: an object with undeclared keys, or a value without a type and without
 *   `.meta({ json: true })`
 */
export function createOpenApiDocument(options: OpenApiOptions): OpenApiDocument {
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: { title: options.title, version: options.version, description: options.description },
      ...(options.servers && { servers: options.servers }),
      paths: createPaths(options.endpoints, options.commonResponses ?? {}),
      components: { securitySchemes: options.securitySchemes },
    },
    { override: simplifyJsonSchema },
  );
  convertJsonParameters(document, options.endpoints);
  const components = sortRecordByKey(document.components?.schemas ?? {});
  assertResponsesClosed(document, components);
  return { ...document, components: { ...document.components, schemas: components } };
}

function createPaths(endpoints: EndpointDescription[], common: Record<number, ResponseDescription>) {
  const paths: ZodOpenApiPathsObject = {};
  const operationIds = new Set<string>();
  const byPath = endpoints.toSorted(
    (a, b) =>
      compareByCodeUnit(a.path, b.path) || endpointMethods.indexOf(a.method) - endpointMethods.indexOf(b.method),
  );
  for (const endpoint of byPath) {
    const item = (paths[endpoint.path] ??= {});
    if (item[endpoint.method] !== undefined) {
      throw new Error(`${formatEndpointLabel(endpoint)} is described twice`);
    }
    if (operationIds.has(endpoint.operationId)) {
      throw new Error(
        `${formatEndpointLabel(endpoint)} has the operationId of another endpoint: ${endpoint.operationId}`,
      );
    }
    operationIds.add(endpoint.operationId);
    assertPathParamsDescribed(endpoint);
    item[endpoint.method] = createOperation(endpoint, common);
  }
  return paths;
}

function createOperation(
  endpoint: EndpointDescription,
  common: Record<number, ResponseDescription>,
): ZodOpenApiOperationObject {
  const { operationId, summary, description, tags, pathParams, query, headerParams, body, security, scope } = endpoint;
  const required = endpoint.bodyRequired ?? body?.every(({ schema }) => !schema.isOptional());
  const responses = Object.entries({ ...common, ...endpoint.responses });
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags,
    security: security === 'none' ? [] : security.map((scheme) => ({ [scheme]: scope === undefined ? [] : [scope] })),
    ...((pathParams ?? query ?? headerParams) && {
      requestParams: {
        ...(pathParams && { path: pathParams }),
        ...(query && { query }),
        ...(headerParams && { header: headerParams }),
      },
    }),
    ...(body && {
      requestBody: {
        required: required === true,
        content: Object.fromEntries(
          body.map(({ contentType, schema }) => [
            contentType,
            { schema, ...createFormFieldEncodings(contentType, schema, endpoint.jsonParameters ?? []) },
          ]),
        ),
      },
    }),
    responses: Object.fromEntries(responses.map(([status, response]) => [status, createResponse(response)])),
  };
}

/** Returns the encodings of the form fields whose value is JSON (OpenAPI 3.1 section 4.8.15). */
function createFormFieldEncodings(contentType: string, schema: z.ZodType, jsonParameters: readonly string[]) {
  if (!formContentTypes.has(contentType) || !(schema instanceof z.ZodObject)) return {};
  const names = jsonParameters.filter((name) => name in schema.shape);
  if (names.length === 0) return {};
  return { encoding: Object.fromEntries(names.map((name) => [name, { contentType: 'application/json' }])) };
}

/**
 * Changes the OpenAPI description of query parameters whose value is JSON. Moves their schema from the property
 * `schema` to `content`.
 */
function convertJsonParameters(document: OpenApiDocument, endpoints: readonly EndpointDescription[]): void {
  for (const { path, method, jsonParameters = [] } of endpoints) {
    const operation = document.paths?.[path]?.[method];
    if (operation?.parameters === undefined) continue;
    operation.parameters = operation.parameters.map((parameter) => {
      if ('$ref' in parameter || parameter.in !== 'query' || !jsonParameters.includes(parameter.name)) return parameter;
      const { schema, ...rest } = parameter;
      return schema === undefined ? parameter : { ...rest, content: { 'application/json': { schema } } };
    });
  }
}

function createResponse({ description, schema, contentType, headers }: ResponseDescription) {
  const described = { description, ...(headers && { headers: createHeaders(headers) }) };
  if (schema === undefined && contentType === undefined) return described;
  return { ...described, content: { [contentType ?? 'application/json']: schema === undefined ? {} : { schema } } };
}

function createHeaders(headers: NonNullable<ResponseDescription['headers']>) {
  const entries = Object.entries(headers).map(
    ([name, { description, type }]) =>
      [
        name,
        { description, schema: type === undefined ? ({ type: 'integer', minimum: 0 } as const) : { type } },
      ] as const,
  );
  return Object.fromEntries(entries);
}

function assertPathParamsDescribed(endpoint: EndpointDescription): void {
  const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').toSorted(compareByCodeUnit);
  const described = Object.keys(endpoint.pathParams?.shape ?? {}).toSorted(compareByCodeUnit);
  if (inPath.join() !== described.join()) {
    throw new Error(
      `${formatEndpointLabel(endpoint)} has the path parameters [${inPath.join()}] but describes [${described.join()}]`,
    );
  }
}

/**
 * Checks that the response schemas of an OpenAPI document allow only documented keys, so that tests detect undocumented
 * keys.
 */
function assertResponsesClosed(document: OpenApiDocument, components: Record<string, unknown>): void {
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of endpointMethods) {
      for (const [status, response] of Object.entries(item[method]?.responses ?? {})) {
        const content: Record<string, oas31.MediaTypeObject> = response.content ?? {};
        for (const { schema } of Object.values(content)) {
          const found = schema === undefined ? undefined : findUndocumentedContent(schema, components);
          if (found) {
            const place = found.path === '' ? 'the body' : found.path;
            throw new Error(`${method.toUpperCase()} ${path}, response ${status}: ${place} ${found.problem}`);
          }
        }
      }
    }
  }
}

function formatEndpointLabel({ method, path }: EndpointDescription): string {
  return `${method.toUpperCase()} ${path}`;
}

function sortRecordByKey<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => compareByCodeUnit(a, b)));
}

/**
 * Compares two strings by UTF-16 code units, because the order must not depend on the locale. Returns a negative
 * number, 0 or a positive number.
 */
function compareByCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

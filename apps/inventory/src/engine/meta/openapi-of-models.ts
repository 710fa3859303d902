import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import { getFiltersOfModel } from '../filter/compile-filters.js';
import { allFieldsSelection, listSelectedFieldNames } from '../read/object-json-fragments.js';
import { createObjectSchema } from './openapi-object-schemas.js';
import type { JsonSchema } from './json-schema-of-values.js';

/** One operation or path item of an OpenAPI document. */
export type OpenApiPathItem = Readonly<Record<string, unknown>>;

/** OpenAPI paths of all models, and the schemas that the paths use. */
export interface OpenApiPathsAndSchemas {
  readonly paths: Readonly<Record<string, OpenApiPathItem>>;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

const openApiProblemSchemaReference = { $ref: '#/components/schemas/Problem' };
const commonOpenApiErrorResponses = {
  400: createOpenApiJsonResponse('The request is invalid', { $ref: '#/components/schemas/Refusal' }),
  403: createOpenApiJsonResponse('No credentials, or no permission', openApiProblemSchemaReference),
};
const notFoundOpenApiResponse = { 404: createOpenApiJsonResponse('No such object', openApiProblemSchemaReference) };
const conflictOpenApiResponse = {
  409: createOpenApiJsonResponse('Other objects depend on the object', openApiProblemSchemaReference),
};
const preconditionFailedOpenApiResponse = {
  412: createOpenApiJsonResponse('The object has changed since the client read it', openApiProblemSchemaReference),
};

export function createOpenApiOfModels(registry: ModelRegistry): OpenApiPathsAndSchemas {
  const paths: Record<string, OpenApiPathItem> = {};
  const schemas: Record<string, JsonSchema> = {};
  // Models without endpoints have schemas too, because other objects may contain their objects.
  for (const model of registry.models) Object.assign(schemas, createModelSchemas(model, registry));
  for (const model of registry.servedModels) {
    paths[`/api/${model.path}/`] = createListOpenApiPath(model, registry);
    paths[`/api/${model.path}/{id}/`] = createDetailOpenApiPath(model);
  }
  return { paths, schemas };
}

export function createOpenApiJsonResponse(description: string, schema?: JsonSchema): object {
  return { description, ...(schema === undefined ? {} : { content: { 'application/json': { schema } } }) };
}

function createModelSchemas(model: ModelDefinition, registry: ModelRegistry): Record<string, JsonSchema> {
  const name = model.objectName;
  const whole = listSelectedFieldNames(model, allFieldsSelection);
  const writable = Object.entries(model.fields).filter(([, field]) => !field.traits.readOnly);
  const tags = model.fields['tags']?.schema.write(registry);
  const fields = Object.fromEntries(writable.map(([key, field]) => [key, field.schema.write(registry)]));
  // Keys of the body that are not fields (docs/contract/inventory.md 1.10).
  const properties = {
    ...fields,
    ...(tags === undefined ? {} : { add_tags: tags, remove_tags: tags }),
    changelog_message: { type: 'string', maxLength: 200 },
  };
  const required = writable.filter(([, field]) => field.traits.required).map(([key]) => key);
  return {
    [name]: createObjectSchema(model.fields, whole, registry),
    [`Brief${name}`]: createObjectSchema(model.fields, model.brief, registry),
    [`Partial${name}`]: createObjectSchema(model.fields, whole, registry, true),
    [`Nested${name}`]: createObjectSchema(model.fields, model.nested, registry),
    // OpenAPI 3.0 does not allow an empty `required`.
    [`${name}Request`]: {
      type: 'object',
      properties,
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: true,
    },
    [`Patched${name}Request`]: { type: 'object', properties, additionalProperties: true },
    [`Paginated${name}List`]: {
      type: 'object',
      properties: {
        count: { type: ['integer', 'null'] },
        next: { type: ['string', 'null'], format: 'uri' },
        previous: { type: ['string', 'null'], format: 'uri' },
        results: { type: 'array', items: createSelectableObjectSchema(name) },
      },
      required: ['count', 'next', 'previous', 'results'],
      additionalProperties: false,
    },
  };
}

/**
 * Returns the OpenAPI schema of an object in a response. The object has all fields, is brief, or is reduced by the
 * query parameters `fields` and `omit`.
 */
function createSelectableObjectSchema(name: string): JsonSchema {
  return { anyOf: ['', 'Brief', 'Partial'].map((shape) => ({ $ref: `#/components/schemas/${shape}${name}` })) };
}

function createModelOperation(model: ModelDefinition, action: string, summary: string, rest: object): OpenApiPathItem {
  return {
    operationId: `${model.path.replace('/', '_').replaceAll('-', '_')}_${action}`,
    summary,
    tags: [model.app],
    security: [{ tokenAuth: [] }],
    ...rest,
  };
}

interface OpenApiRequestBody {
  readonly required: boolean;
  readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

function createJsonRequestBody(...schemas: readonly JsonSchema[]): OpenApiRequestBody {
  const [only] = schemas;
  const schema = schemas.length === 1 && only !== undefined ? only : { oneOf: schemas };
  return { required: true, content: { 'application/json': { schema } } };
}

/**
 * Adds the form encoding to the OpenAPI description of a JSON request body. Clients may send a form to write a single
 * object, and must send a form to upload files.
 */
function addFormEncodingToBody(json: OpenApiRequestBody, form: JsonSchema): OpenApiRequestBody {
  return { ...json, content: { ...json.content, 'multipart/form-data': { schema: form } } };
}

function createListOpenApiPath(model: ModelDefinition, registry: ModelRegistry): OpenApiPathItem {
  const name = model.objectName;
  const request: JsonSchema = { $ref: `#/components/schemas/${name}Request` };
  const identified: JsonSchema = {
    type: 'array',
    items: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } }, additionalProperties: true },
  };
  const many: JsonSchema = { type: 'array', items: createSelectableObjectSchema(name) };
  const bulk = (action: string, verb: string): OpenApiPathItem =>
    createModelOperation(model, action, `${verb} several ${model.verboseNamePlural}`, {
      requestBody: createJsonRequestBody(identified),
      responses: {
        200: createOpenApiJsonResponse('The objects', many),
        ...commonOpenApiErrorResponses,
        ...preconditionFailedOpenApiResponse,
      },
    });
  return removeDisallowedOperations(model.methods.list, {
    get: createModelOperation(model, 'list', `List ${model.verboseNamePlural}`, {
      parameters: createListParameters(model, registry),
      responses: {
        200: {
          description: 'A page of objects, or all objects rendered by an export template',
          content: {
            'application/json': { schema: { $ref: `#/components/schemas/Paginated${name}List` } },
            '*/*': { schema: { type: 'string' } },
          },
          headers: { ETag: { description: 'Weak ETag made of the bytes of the page', schema: { type: 'string' } } },
        },
        304: { description: 'The page is the one that the client has (`If-None-Match`)' },
        ...notFoundOpenApiResponse,
        ...commonOpenApiErrorResponses,
      },
    }),
    post: createModelOperation(model, 'create', `Create one ${model.verboseName} or several`, {
      parameters: fieldSelectionParameters,
      requestBody: addFormEncodingToBody(createJsonRequestBody(request, { type: 'array', items: request }), request),
      responses: {
        201: createOpenApiJsonResponse('The created objects', { anyOf: [createSelectableObjectSchema(name), many] }),
        ...commonOpenApiErrorResponses,
      },
    }),
    put: bulk('bulk_update', 'Replace'),
    patch: bulk('bulk_partial_update', 'Change'),
    delete: createModelOperation(model, 'bulk_destroy', `Delete several ${model.verboseNamePlural}`, {
      requestBody: createJsonRequestBody(identified),
      responses: {
        204: createOpenApiJsonResponse('Deleted'),
        ...commonOpenApiErrorResponses,
        ...conflictOpenApiResponse,
        ...preconditionFailedOpenApiResponse,
      },
    }),
    options: createOptionsOperation(model, 'list'),
  });
}

function createDetailOpenApiPath(model: ModelDefinition): OpenApiPathItem {
  const name = model.objectName;
  const whole: JsonSchema = { $ref: `#/components/schemas/${name}Request` };
  const part: JsonSchema = { $ref: `#/components/schemas/Patched${name}Request` };
  const changed = {
    200: createOpenApiJsonResponse('The object', createSelectableObjectSchema(name)),
    ...commonOpenApiErrorResponses,
    ...notFoundOpenApiResponse,
    ...preconditionFailedOpenApiResponse,
  };
  return removeDisallowedOperations(model.methods.detail, {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
    get: createModelOperation(model, 'retrieve', `Read one ${model.verboseName}`, {
      parameters: [
        ...fieldSelectionParameters,
        ...createExcludeConfigContextParameter(model),
        createQueryParameter('brief', { type: 'boolean' }),
      ],
      responses: {
        200: createOpenApiJsonResponse('The object', createSelectableObjectSchema(name)),
        403: commonOpenApiErrorResponses[403],
        ...notFoundOpenApiResponse,
      },
    }),
    put: createModelOperation(model, 'update', `Replace one ${model.verboseName}`, {
      parameters: fieldSelectionParameters,
      requestBody: {
        ...addFormEncodingToBody(createJsonRequestBody(whole), whole),
        required: hasRequiredFields(model),
      },
      responses: changed,
    }),
    patch: createModelOperation(model, 'partial_update', `Change one ${model.verboseName}`, {
      parameters: fieldSelectionParameters,
      requestBody: { ...addFormEncodingToBody(createJsonRequestBody(part), part), required: false },
      responses: changed,
    }),
    delete: createModelOperation(model, 'destroy', `Delete one ${model.verboseName}`, {
      requestBody: {
        ...createJsonRequestBody({
          type: 'object',
          properties: { changelog_message: changelogMessageSchema },
          additionalProperties: true,
        }),
        required: false,
      },
      responses: {
        204: createOpenApiJsonResponse('Deleted'),
        ...commonOpenApiErrorResponses,
        ...notFoundOpenApiResponse,
        ...conflictOpenApiResponse,
        ...preconditionFailedOpenApiResponse,
      },
    }),
    options: createOptionsOperation(model, 'detail'),
  });
}

/** Returns true if a request that writes an object of the model must contain at least one field. */
function hasRequiredFields(model: ModelDefinition): boolean {
  return Object.values(model.fields).some(({ traits }) => traits.required && !traits.readOnly);
}

/** Removes from an OpenAPI path the operations of HTTP methods that the model does not support. */
function removeDisallowedOperations(methods: readonly string[], path: OpenApiPathItem): OpenApiPathItem {
  return Object.fromEntries(
    Object.entries(path).filter(([name]) => name === 'parameters' || methods.includes(name.toUpperCase())),
  );
}

/**
 * OpenAPI schema of the message that a client may send with a change, such as the reason for a deletion. The change log
 * stores the message.
 */
const changelogMessageSchema: JsonSchema = { type: 'string', maxLength: 200 };

function createOptionsOperation(model: ModelDefinition, kind: string): OpenApiPathItem {
  return createModelOperation(model, `${kind}_options`, 'Describe the endpoint', {
    responses: {
      200: createOpenApiJsonResponse('The methods that the user may use, with their fields', {
        type: 'object',
        additionalProperties: true,
      }),
      403: commonOpenApiErrorResponses[403],
    },
  });
}

function createQueryParameter(name: string, schema: JsonSchema): object {
  return { name, in: 'query', required: false, schema };
}

const fieldSelectionParameters = [
  createQueryParameter('fields', { type: 'string' }),
  createQueryParameter('omit', { type: 'string' }),
];

/**
 * OpenAPI descriptions of list parameters that name a stored export template or stored saved filters
 * (docs/contract/inventory.md 1.7, 1.9).
 */
const templateAndFilterQueryParameters = [
  createQueryParameter('export', { type: 'string' }),
  createQueryParameter('filter', { type: 'array', items: { type: 'string' } }),
  createQueryParameter('filter_id', { type: 'array', items: { type: 'integer' } }),
];

/**
 * Returns true unless a filter has the same name as a paging parameter. Clients can use a filter with such a name only
 * with a lookup.
 */
function isNotPagingParameter(name: string): boolean {
  return !['start', 'limit', 'offset', 'ordering'].includes(name);
}

function createListParameters(model: ModelDefinition, registry: ModelRegistry): object[] {
  const filters = [...getFiltersOfModel(model, registry).values()].flatMap(({ name, lookups, multiple, schema }) =>
    [name, ...lookups.map((lookup) => `${name}__${lookup}`)].filter(isNotPagingParameter).map((full) => ({
      ...createQueryParameter(
        full,
        multiple ? { type: 'array', items: full === name ? schema : { type: 'string' } } : schema,
      ),
      ...(multiple ? { explode: true, style: 'form' } : {}),
    })),
  );
  return [
    ...filters,
    createQueryParameter('ordering', { type: 'string' }),
    createQueryParameter('limit', { type: 'integer' }),
    createQueryParameter('offset', { type: 'integer' }),
    createQueryParameter('start', { type: 'integer' }),
    createQueryParameter('brief', { type: 'boolean' }),
    ...fieldSelectionParameters,
    ...createExcludeConfigContextParameter(model),
    ...templateAndFilterQueryParameters,
  ];
}

/**
 * Returns the OpenAPI description of the query parameter `exclude` in a list. The list is empty if the model has no
 * field that `exclude` can omit.
 */
function createExcludeConfigContextParameter({ fields }: ModelDefinition): object[] {
  const isTaken = Object.values(fields).some(({ traits }) => traits.excludable);
  return isTaken ? [createQueryParameter('exclude', { type: 'string' })] : [];
}

import type { ModelDefinition } from '../declaration/define-model.js';
import type { Registry } from '../declaration/model-registry.js';
import { filtersOfModel } from '../filter/compile-filters.js';
import { allFieldsSelection, selectedFields } from '../read/object-json-fragments.js';
import { objectSchema } from './component-schemas.js';
import type { JsonSchema } from './json-schema-of-values.js';

/** One operation or path item of an OpenAPI document. */
export type OpenApiNode = Readonly<Record<string, unknown>>;

/** OpenAPI paths and schemas of the models. */
export interface OpenApiOfModels {
  readonly paths: Readonly<Record<string, OpenApiNode>>;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

const problemSchema = { $ref: '#/components/schemas/Problem' };
const errorResponses = {
  400: jsonResponse('The request is invalid', { $ref: '#/components/schemas/Refusal' }),
  403: jsonResponse('No credentials, or no permission', problemSchema),
};
const notFoundResponse = { 404: jsonResponse('No such object', problemSchema) };
const conflictResponse = { 409: jsonResponse('Other objects depend on the object', problemSchema) };
const preconditionFailedResponse = {
  412: jsonResponse('The object has changed since the client read it', problemSchema),
};

/** Returns the OpenAPI 3.1 paths and schemas of all models. */
export function openApiOfModels(registry: Registry): OpenApiOfModels {
  const paths: Record<string, OpenApiNode> = {};
  const schemas: Record<string, JsonSchema> = {};
  // Models without endpoints have schemas too, because other objects may contain their objects.
  for (const model of registry.models) Object.assign(schemas, modelSchemasOf(model, registry));
  for (const model of registry.servedModels) {
    paths[`/api/${model.path}/`] = modelListOpenApiPath(model, registry);
    paths[`/api/${model.path}/{id}/`] = modelDetailOpenApiPath(model);
  }
  return { paths, schemas };
}

/** Returns the OpenAPI description of a JSON response with its schema. */
export function jsonResponse(description: string, schema?: JsonSchema): object {
  return { description, ...(schema === undefined ? {} : { content: { 'application/json': { schema } } }) };
}

function modelSchemasOf(model: ModelDefinition, registry: Registry): Record<string, JsonSchema> {
  const name = model.objectName;
  const whole = selectedFields(model, allFieldsSelection);
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
    [name]: objectSchema(model.fields, whole, registry),
    [`Brief${name}`]: objectSchema(model.fields, model.brief, registry),
    [`Partial${name}`]: objectSchema(model.fields, whole, registry, true),
    [`Nested${name}`]: objectSchema(model.fields, model.nested, registry),
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
        results: { type: 'array', items: selectableObjectSchema(name) },
      },
      required: ['count', 'next', 'previous', 'results'],
      additionalProperties: false,
    },
  };
}

/**
 * Returns the OpenAPI schema of an object in a response: with all fields, brief, or reduced by the parameters `fields`
 * and `omit`.
 */
function selectableObjectSchema(name: string): JsonSchema {
  return { anyOf: ['', 'Brief', 'Partial'].map((shape) => ({ $ref: `#/components/schemas/${shape}${name}` })) };
}

function modelOperation(model: ModelDefinition, action: string, summary: string, rest: object): OpenApiNode {
  return {
    operationId: `${model.path.replace('/', '_').replaceAll('-', '_')}_${action}`,
    summary,
    tags: [model.app],
    security: [{ tokenAuth: [] }],
    ...rest,
  };
}

interface RequestBody {
  readonly required: boolean;
  readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

function jsonRequestBody(...schemas: readonly JsonSchema[]): RequestBody {
  const [only] = schemas;
  const schema = schemas.length === 1 && only !== undefined ? only : { oneOf: schemas };
  return { required: true, content: { 'application/json': { schema } } };
}

/**
 * Adds the form variant to the OpenAPI description of a request body. Clients may send a form for a single object, and
 * must send one to upload files.
 */
function addFormVariant(json: RequestBody, form: JsonSchema): RequestBody {
  return { ...json, content: { ...json.content, 'multipart/form-data': { schema: form } } };
}

function modelListOpenApiPath(model: ModelDefinition, registry: Registry): OpenApiNode {
  const name = model.objectName;
  const request: JsonSchema = { $ref: `#/components/schemas/${name}Request` };
  const identified: JsonSchema = {
    type: 'array',
    items: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } }, additionalProperties: true },
  };
  const many: JsonSchema = { type: 'array', items: selectableObjectSchema(name) };
  const bulk = (action: string, verb: string): OpenApiNode =>
    modelOperation(model, action, `${verb} several ${model.verboseNamePlural}`, {
      requestBody: jsonRequestBody(identified),
      responses: { 200: jsonResponse('The objects', many), ...errorResponses, ...preconditionFailedResponse },
    });
  return removeDisallowedOperations(model.methods.list, {
    get: modelOperation(model, 'list', `List ${model.verboseNamePlural}`, {
      parameters: listParameters(model, registry),
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
        ...notFoundResponse,
        ...errorResponses,
      },
    }),
    post: modelOperation(model, 'create', `Create one ${model.verboseName} or several`, {
      parameters: fieldSelectionParameters,
      requestBody: addFormVariant(jsonRequestBody(request, { type: 'array', items: request }), request),
      responses: {
        201: jsonResponse('The created objects', { anyOf: [selectableObjectSchema(name), many] }),
        ...errorResponses,
      },
    }),
    put: bulk('bulk_update', 'Replace'),
    patch: bulk('bulk_partial_update', 'Change'),
    delete: modelOperation(model, 'bulk_destroy', `Delete several ${model.verboseNamePlural}`, {
      requestBody: jsonRequestBody(identified),
      responses: {
        204: jsonResponse('Deleted'),
        ...errorResponses,
        ...conflictResponse,
        ...preconditionFailedResponse,
      },
    }),
    options: optionsOperation(model, 'list'),
  });
}

function modelDetailOpenApiPath(model: ModelDefinition): OpenApiNode {
  const name = model.objectName;
  const whole: JsonSchema = { $ref: `#/components/schemas/${name}Request` };
  const part: JsonSchema = { $ref: `#/components/schemas/Patched${name}Request` };
  const changed = {
    200: jsonResponse('The object', selectableObjectSchema(name)),
    ...errorResponses,
    ...notFoundResponse,
    ...preconditionFailedResponse,
  };
  return removeDisallowedOperations(model.methods.detail, {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
    get: modelOperation(model, 'retrieve', `Read one ${model.verboseName}`, {
      parameters: [
        ...fieldSelectionParameters,
        ...excludeParameter(model),
        queryParameter('brief', { type: 'boolean' }),
      ],
      responses: {
        200: jsonResponse('The object', selectableObjectSchema(name)),
        403: errorResponses[403],
        ...notFoundResponse,
      },
    }),
    put: modelOperation(model, 'update', `Replace one ${model.verboseName}`, {
      parameters: fieldSelectionParameters,
      requestBody: { ...addFormVariant(jsonRequestBody(whole), whole), required: hasRequiredFields(model) },
      responses: changed,
    }),
    patch: modelOperation(model, 'partial_update', `Change one ${model.verboseName}`, {
      parameters: fieldSelectionParameters,
      requestBody: { ...addFormVariant(jsonRequestBody(part), part), required: false },
      responses: changed,
    }),
    delete: modelOperation(model, 'destroy', `Delete one ${model.verboseName}`, {
      requestBody: {
        ...jsonRequestBody({
          type: 'object',
          properties: { changelog_message: changelogMessageSchema },
          additionalProperties: true,
        }),
        required: false,
      },
      responses: {
        204: jsonResponse('Deleted'),
        ...errorResponses,
        ...notFoundResponse,
        ...conflictResponse,
        ...preconditionFailedResponse,
      },
    }),
    options: optionsOperation(model, 'detail'),
  });
}

/** Returns true if a request that writes an object of the model must contain at least one field. */
function hasRequiredFields(model: ModelDefinition): boolean {
  return Object.values(model.fields).some(({ traits }) => traits.required && !traits.readOnly);
}

/** Removes those operations of an OpenAPI path whose HTTP method the model does not support. */
function removeDisallowedOperations(methods: readonly string[], path: OpenApiNode): OpenApiNode {
  return Object.fromEntries(
    Object.entries(path).filter(([name]) => name === 'parameters' || methods.includes(name.toUpperCase())),
  );
}

/** OpenAPI schema of the message that a client may send for the change log, such as the reason for a deletion. */
const changelogMessageSchema: JsonSchema = { type: 'string', maxLength: 200 };

function optionsOperation(model: ModelDefinition, kind: string): OpenApiNode {
  return modelOperation(model, `${kind}_options`, 'Describe the endpoint', {
    responses: {
      200: jsonResponse('The methods that the user may use, with their fields', {
        type: 'object',
        additionalProperties: true,
      }),
      403: errorResponses[403],
    },
  });
}

function queryParameter(name: string, schema: JsonSchema): object {
  return { name, in: 'query', required: false, schema };
}

const fieldSelectionParameters = [
  queryParameter('fields', { type: 'string' }),
  queryParameter('omit', { type: 'string' }),
];

/**
 * OpenAPI descriptions of list parameters that name a stored export template or stored saved filters
 * (docs/contract/inventory.md 1.7, 1.9).
 */
const storedObjectParameters = [
  queryParameter('export', { type: 'string' }),
  queryParameter('filter', { type: 'array', items: { type: 'string' } }),
  queryParameter('filter_id', { type: 'array', items: { type: 'integer' } }),
];

/**
 * Returns false for a filter that has the name of a paging parameter. Clients can use such a filter only with a lookup.
 */
function isNotPagingParameter(name: string): boolean {
  return !['start', 'limit', 'offset', 'ordering'].includes(name);
}

function listParameters(model: ModelDefinition, registry: Registry): object[] {
  const filters = [...filtersOfModel(model, registry).values()].flatMap(({ name, lookups, multiple, schema }) =>
    [name, ...lookups.map((lookup) => `${name}__${lookup}`)].filter(isNotPagingParameter).map((full) => ({
      ...queryParameter(
        full,
        multiple ? { type: 'array', items: full === name ? schema : { type: 'string' } } : schema,
      ),
      ...(multiple ? { explode: true, style: 'form' } : {}),
    })),
  );
  return [
    ...filters,
    queryParameter('ordering', { type: 'string' }),
    queryParameter('limit', { type: 'integer' }),
    queryParameter('offset', { type: 'integer' }),
    queryParameter('start', { type: 'integer' }),
    queryParameter('brief', { type: 'boolean' }),
    ...fieldSelectionParameters,
    ...excludeParameter(model),
    ...storedObjectParameters,
  ];
}

/** Returns the OpenAPI description of the parameter `exclude`, for models with excludable fields. */
function excludeParameter({ fields }: ModelDefinition): object[] {
  const isTaken = Object.values(fields).some(({ traits }) => traits.excludable);
  return isTaken ? [queryParameter('exclude', { type: 'string' })] : [];
}

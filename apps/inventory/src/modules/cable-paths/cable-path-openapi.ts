import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import type { ModelRegistry } from '../../engine/declaration/model-registry.js';
import { createNestedSchema } from '../../engine/meta/openapi-object-schemas.js';
import { type JsonSchema, createNullableJsonSchema } from '../../engine/meta/json-schema-of-values.js';
import { createOpenApiJsonResponse } from '../../engine/meta/openapi-of-models.js';
import { createOptionsOperation } from '../../http/options-openapi-operation.js';
import { pathEndpointTypes } from '../../cable-paths/index.js';
import { cablePassThroughModels } from './pass-through-models.js';

const problemSchema = { $ref: '#/components/schemas/Problem' };
const validationErrorSchemaReference = { $ref: '#/components/schemas/Refusal' };
const etagHeader = { ETag: { description: 'Weak ETag made of the bytes of the response', schema: { type: 'string' } } };

/**
 * Models of objects that can occur on cable paths, other than the models in {@link pathEndpointTypes} and
 * {@link cablePassThroughModels}.
 */
const otherCablePathModels: readonly string[] = [
  'circuits.providernetwork',
  'dcim.cable',
  'dcim.location',
  'dcim.region',
  'dcim.site',
  'dcim.sitegroup',
  'wireless.wirelesslink',
];

const textSchema: JsonSchema = { type: 'string' };
const nullableTextSchema = createNullableJsonSchema(textSchema);

function createObjectSchema(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

const tracedLinkProperties = { id: { type: 'integer' }, url: textSchema, display_url: textSchema };
const tracedCableSchema = createObjectSchema({
  ...tracedLinkProperties,
  type: nullableTextSchema,
  status: textSchema,
  label: textSchema,
  color: textSchema,
  length: createNullableJsonSchema({ type: 'number' }),
  length_unit: nullableTextSchema,
  description: textSchema,
});
const tracedWirelessLinkSchema = createObjectSchema({
  ...tracedLinkProperties,
  ssid: textSchema,
  status: textSchema,
  description: textSchema,
});

/** Returns the OpenAPI schemas of cable paths, and of the hops of a cable trace. */
export function createCablePathSchemas(registry: ModelRegistry): Record<string, JsonSchema> {
  const models = [...pathEndpointTypes, ...cablePassThroughModels, ...otherCablePathModels].flatMap(
    (type) => registry.find(type) ?? [],
  );
  const items: JsonSchema = { type: 'array', items: { anyOf: models.map(createNestedSchema) } };
  return {
    CablePathHop: {
      type: 'array',
      description: 'Near ends, the link between them and the far ends. The link is an empty list where there is none.',
      minItems: 3,
      maxItems: 3,
      items: { anyOf: [items, tracedCableSchema, tracedWirelessLinkSchema] },
    },
    CablePath: createObjectSchema({
      id: { type: 'integer' },
      path: { type: 'array', items },
      is_active: { type: 'boolean', description: 'True if the status of all links is connected' },
      is_complete: { type: 'boolean' },
      is_split: { type: 'boolean' },
    }),
  };
}

/** Returns the OpenAPI paths of the cable path endpoints (docs/contract/inventory.md 2.2). */
export function createCablePathEndpointPaths(registry: ModelRegistry): Record<string, object> {
  const found = (types: readonly string[]): ModelDefinition[] => types.flatMap((type) => registry.find(type) ?? []);
  return Object.fromEntries([
    ...found(pathEndpointTypes).map((model) => [
      `/api/${model.path}/{id}/trace/`,
      createEndpointOpenApiPath(model, cableTraceEndpoint),
    ]),
    ...found(cablePassThroughModels).map((model) => [
      `/api/${model.path}/{id}/paths/`,
      createEndpointOpenApiPath(model, cablePathsEndpoint),
    ]),
    ['/api/dcim/connected-device/', connectedDeviceOpenApiPath],
  ]);
}

interface CablePathEndpoint {
  readonly name: string;
  readonly summary: (model: ModelDefinition) => string;
  readonly schema: string;
  readonly parameters: readonly object[];
  /** True if the cable path endpoint can respond with an SVG drawing. */
  readonly isDrawn: boolean;
}

const cableTraceEndpoint: CablePathEndpoint = {
  name: 'trace',
  summary: ({ verboseName }) => `Trace the cable path from a ${verboseName}`,
  schema: 'CablePathHop',
  parameters: [
    {
      name: 'render',
      in: 'query',
      required: false,
      schema: { type: 'string', enum: ['json', 'svg'], default: 'json' },
    },
    {
      name: 'width',
      in: 'query',
      required: false,
      description: 'Width of the drawing, in pixels',
      schema: { type: 'integer', minimum: 10, maximum: 9999, default: 400 },
    },
  ],
  isDrawn: true,
};

const cablePathsEndpoint: CablePathEndpoint = {
  name: 'paths',
  summary: ({ verboseName }) => `List the cable paths over a ${verboseName}`,
  schema: 'CablePath',
  parameters: [],
  isDrawn: false,
};

function createEndpointOpenApiPath(
  model: ModelDefinition,
  { name, summary, schema, parameters, isDrawn }: CablePathEndpoint,
): object {
  const operation = `${model.path.replaceAll(/[/-]/g, '_')}_${name}`;
  return {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
    get: {
      operationId: `${operation}_retrieve`,
      summary: summary(model),
      tags: [model.app],
      security: [{ tokenAuth: [] }],
      parameters,
      responses: {
        200: {
          description: isDrawn ? 'The hops of the path, or a drawing of them' : 'The paths',
          content: {
            'application/json': { schema: { type: 'array', items: { $ref: `#/components/schemas/${schema}` } } },
            ...(isDrawn ? { 'image/svg+xml': { schema: textSchema } } : {}),
          },
          headers: etagHeader,
        },
        304: { description: 'The response is the one that the client has (`If-None-Match`)' },
        403: createOpenApiJsonResponse('No permission', problemSchema),
        404: createOpenApiJsonResponse('The object does not exist', problemSchema),
      },
    },
    options: createOptionsOperation(operation, model.app, false),
  };
}

const connectedDeviceOpenApiPath = {
  get: {
    operationId: 'dcim_connected_device_retrieve',
    summary: 'Find the device that is connected with an interface',
    tags: ['dcim'],
    security: [{ tokenAuth: [] }],
    parameters: [
      { name: 'peer_device', in: 'query', required: true, description: 'Name of a device', schema: textSchema },
      { name: 'peer_interface', in: 'query', required: true, description: 'Name of its interface', schema: textSchema },
    ],
    responses: {
      200: createOpenApiJsonResponse('The device at the other end of the path', {
        $ref: '#/components/schemas/Device',
      }),
      400: createOpenApiJsonResponse('A parameter is missing, or several devices have the name', {
        anyOf: [problemSchema, validationErrorSchemaReference],
      }),
      403: createOpenApiJsonResponse('No permission', problemSchema),
      404: createOpenApiJsonResponse('The interface does not exist or leads to no device', problemSchema),
    },
  },
  options: createOptionsOperation('dcim_connected_device', 'dcim', false),
};

import { createOpenApiJsonResponse } from '../../engine/meta/openapi-of-models.js';
import { type JsonSchema, createNullableJsonSchema } from '../../engine/meta/json-schema-of-values.js';
import { maxDrawingSize } from './elevation-parameters.js';
import { createOptionsOperation } from '../../http/options-openapi-operation.js';

const faceSchema: JsonSchema = {
  type: 'object',
  properties: {
    value: { type: 'string', enum: ['front', 'rear'] },
    label: { type: 'string', enum: ['Front', 'Rear'] },
  },
  required: ['value', 'label'],
  additionalProperties: false,
};

/** OpenAPI schema of one half of a rack unit (docs/contract/inventory.md 2.2). */
export const rackUnitSchema: JsonSchema = {
  type: 'object',
  properties: {
    id: { type: 'number', description: 'Number of the unit. The upper half of a unit is half a number higher.' },
    name: { type: 'string' },
    face: faceSchema,
    device: createNullableJsonSchema({ $ref: '#/components/schemas/NestedDevice' }),
    occupied: { type: 'boolean', description: 'True also if the device is null because the user may not view it.' },
    display: { type: 'string' },
    description: { type: ['string', 'null'], description: 'Display name of the device' },
  },
  required: ['id', 'name', 'face', 'device', 'occupied', 'display', 'description'],
  additionalProperties: false,
};

const unitsPageSchema: JsonSchema = {
  type: 'object',
  properties: {
    count: { type: ['integer', 'null'] },
    next: { type: ['string', 'null'], format: 'uri' },
    previous: { type: ['string', 'null'], format: 'uri' },
    results: { type: 'array', items: { $ref: '#/components/schemas/RackUnit' } },
  },
  required: ['count', 'next', 'previous', 'results'],
  additionalProperties: false,
};

interface OpenApiQueryParameter {
  readonly description: string;
  readonly schema: JsonSchema;
}

/** Returns the OpenAPI description of a query parameter whose value is a size in the drawing, in pixels. */
function createSizeParameter(name: string, otherwise: number): OpenApiQueryParameter {
  const bounds = { minimum: 0, maximum: maxDrawingSize, default: otherwise };
  return { description: `${name}, in pixels. 0 stands for the default.`, schema: { type: 'integer', ...bounds } };
}

const elevationQueryParameters: Readonly<Record<string, OpenApiQueryParameter>> = {
  face: {
    description: 'Face of the rack. Devices of full depth are on both.',
    schema: { type: 'string', enum: ['front', 'rear'], default: 'front' },
  },
  q: { description: 'Text that the number or name of a unit contains', schema: { type: 'string' } },
  exclude: { description: 'Id of a device whose units count as free', schema: { type: 'integer' } },
  expand_devices: {
    description: 'Whether a device occupies all of its units, or only the lowest one',
    schema: { type: 'boolean', default: true },
  },
  render: {
    description: 'Format of the response: a list of half units, or a drawing',
    schema: { type: 'string', enum: ['json', 'svg'], default: 'json' },
  },
  unit_width: createSizeParameter('Width of the units', 220),
  unit_height: createSizeParameter('Height of a unit', 22),
  legend_width: createSizeParameter('Width of the column of numbers', 30),
  margin_width: createSizeParameter('Has no effect, as in the reference API', 15),
  include_images: {
    description: 'Whether the drawing contains images of device types',
    schema: { type: 'boolean', default: true },
  },
  highlight: {
    description:
      'Attribute and value, such as `id:5` or `role_id:3`, of devices to highlight in the drawing. May be repeated.',
    schema: { type: 'array', items: { type: 'string' } },
  },
  limit: { description: 'Maximum number of results', schema: { type: 'integer' } },
  offset: { description: 'Number of results to skip', schema: { type: 'integer' } },
  start: { description: 'Number of results to skip, for a response without count', schema: { type: 'integer' } },
};

/** OpenAPI path of the endpoint for the elevation (face view) of a rack. */
export const rackElevationOpenApiPaths = {
  '/api/dcim/racks/{id}/elevation/': {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
    get: {
      operationId: 'dcim_racks_elevation_retrieve',
      summary: 'List the half units of a rack from top to bottom, or draw the rack',
      tags: ['dcim'],
      security: [{ tokenAuth: [] }],
      parameters: Object.entries(elevationQueryParameters).map(([name, rest]) => ({
        name,
        in: 'query',
        required: false,
        ...rest,
      })),
      responses: {
        200: {
          description: 'A page of half units, or a drawing',
          content: {
            'application/json': { schema: unitsPageSchema },
            'image/svg+xml': { schema: { type: 'string' } },
          },
          headers: { ETag: { description: 'Weak ETag made of the bytes of the response', schema: { type: 'string' } } },
        },
        304: { description: 'The response is the one that the client has (`If-None-Match`)' },
        400: createOpenApiJsonResponse('A parameter is invalid', { $ref: '#/components/schemas/Refusal' }),
        403: createOpenApiJsonResponse('No permission', { $ref: '#/components/schemas/Problem' }),
        404: createOpenApiJsonResponse('The rack does not exist', { $ref: '#/components/schemas/Problem' }),
      },
    },
    options: createOptionsOperation('dcim_racks_elevation', 'dcim', false),
  },
};

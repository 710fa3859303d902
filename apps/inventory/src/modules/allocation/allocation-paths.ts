import type { ModelRegistry } from '../../engine/declaration/model-registry.js';
import { createNestedSchema } from '../../engine/meta/openapi-object-schemas.js';
import { type JsonSchema, createNullableJsonSchema } from '../../engine/meta/json-schema-of-values.js';
import { createOpenApiJsonResponse } from '../../engine/meta/openapi-of-models.js';
import type { AllocationPool } from './allocation-pool.js';
import { allocationPools } from './allocation-pools.js';

const problemSchema = { $ref: '#/components/schemas/Problem' };
const validationErrorSchema = { $ref: '#/components/schemas/Refusal' };

/**
 * Last path segments of the allocation endpoints whose requests need a body. These allocations need a prefix length or
 * a name.
 */
const allocationPathsRequiringBody: ReadonlySet<string> = new Set(['available-prefixes', 'available-vlans']);

/**
 * Returns the OpenAPI paths of the endpoints that allocate objects, such as free IP addresses
 * (docs/contract/inventory.md 2.1).
 */
export function createAllocationPaths(registry: ModelRegistry): Record<string, object> {
  const served = allocationPools.filter(({ parent, child }) => registry.find(parent.type) && registry.find(child.type));
  return Object.fromEntries(
    served.map((pool) => [`/api/${pool.parent.path}/{id}/${pool.path}/`, createAllocationOpenApiPath(pool)]),
  );
}

function createAllocationOpenApiPath(pool: AllocationPool): object {
  const name = pool.child.objectName;
  const what = pool.child.verboseNamePlural;
  const operation = `${pool.parent.path}_${pool.path}`.replaceAll(/[/-]/g, '_');
  const shared = { tags: ['ipam'], security: [{ tokenAuth: [] }] };
  const requestedObject: JsonSchema = { type: 'object', additionalProperties: true };
  const made: JsonSchema = { $ref: `#/components/schemas/${name}` };
  const denied = {
    403: createOpenApiJsonResponse('No credentials, or no permission', problemSchema),
    404: createOpenApiJsonResponse('No such object', problemSchema),
  };
  return {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
    get: {
      operationId: `${operation}_list`,
      summary: `List available ${what}`,
      ...shared,
      parameters: [{ name: 'limit', in: 'query', required: false, schema: { type: 'integer' } }],
      responses: {
        200: createOpenApiJsonResponse('The available values, in ascending order', {
          type: 'array',
          items: createFreeObjectSchema(pool),
        }),
        400: createOpenApiJsonResponse('The response is too large', problemSchema),
        ...denied,
      },
    },
    post: {
      operationId: `${operation}_create`,
      summary: `Allocate the first available ${what}`,
      ...shared,
      requestBody: {
        required: allocationPathsRequiringBody.has(pool.path),
        content: {
          'application/json': { schema: { oneOf: [requestedObject, { type: 'array', items: requestedObject }] } },
        },
      },
      responses: {
        201: createOpenApiJsonResponse('The allocated objects', { anyOf: [made, { type: 'array', items: made }] }),
        400: createOpenApiJsonResponse('The request is invalid', validationErrorSchema),
        ...denied,
        409: createOpenApiJsonResponse('Not enough free values', problemSchema),
      },
    },
    options: {
      operationId: `${operation}_options`,
      summary: 'Describe the endpoint',
      ...shared,
      responses: {
        200: createOpenApiJsonResponse('Name, media types, and the allowed methods with their fields', {
          type: 'object',
          additionalProperties: true,
        }),
        403: denied[403],
        404: denied[404],
      },
    },
  };
}

function createFreeObjectSchema({ shown: [thing, around], context, child }: AllocationPool): JsonSchema {
  const isNumber = child.fields[thing]?.kind === 'integer';
  const nested = createNestedSchema(context.model);
  const family: Record<string, JsonSchema> = isNumber ? {} : { family: { type: 'integer', enum: [4, 6] } };
  const properties = {
    ...family,
    [thing]: { type: isNumber ? 'integer' : 'string' },
    [around]: isNumber ? nested : createNullableJsonSchema(nested),
  };
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

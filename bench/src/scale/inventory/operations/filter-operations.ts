import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../../benchmark-services.js';
import type { MeasuredOperation } from '../../measured-operation.js';
import type { MeasuredInventoryService } from '../measured-inventory-service.js';

/** Schema of a query parameter in `apps/inventory/openapi.json`. */
interface QueryParameterSchema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly items?: QueryParameterSchema;
}

interface OpenApiQueryParameter {
  readonly in: string;
  readonly name: string;
  readonly schema: QueryParameterSchema;
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, { readonly get: { readonly parameters: readonly OpenApiQueryParameter[] } }>>;
}

const filteredPageLimit = 50;
const measurementRunsPerFilter = 3;

/** Query parameters that choose the form of the response instead of filtering the list. */
const responseShapeParameters = new Set(
  ['ordering', 'limit', 'offset', 'start', 'brief', 'fields', 'omit', 'exclude', 'export', 'format', 'filter'].concat([
    'filter_id',
  ]),
);

/** Names or slugs of existing objects, by the name of the filter that accepts the value. */
const existingObjectNameByFilter: Readonly<Record<string, string>> = {
  site_group: 'group-1',
  device_type: 'Model 1',
  manufacturer: 'maker-1',
  model: 'model-1',
  device_role: 'role-1',
  role: 'role-1',
  vrf: '65000:1',
  present_in_vrf: '65000:1',
  assigned_object_type: 'dcim.interface',
  scope_type: 'dcim.site',
  address: '10.0.7.1',
  parent: '10.0.7.0/24',
  prefix: '10.0.7.0/24',
  within: '10.0.0.0/16',
  within_include: '10.0.7.0/24',
  contains: '10.0.7.9',
  mac_address: '00:11:22:33:44:55',
};

function createFilterValue(name: string, schema: QueryParameterSchema): string {
  const [base = name] = name.split('__');
  const { type, format, enum: values } = schema.items ?? schema;
  if (values?.[0] !== undefined) return values[0];
  if (type === 'boolean') return 'true';
  if (type === 'integer' || type === 'number') return base === 'family' ? '4' : '28';
  if (format === 'date-time') return '2024-03-01T00:00:00Z';
  if (format === 'uuid') return '00000000-0000-4000-8000-000000000001';
  return existingObjectNameByFilter[base] ?? `${base}-1`;
}

/**
 * Returns an operation for every filter and lookup that the OpenAPI document lists for a path. Query strings in `known`
 * are omitted, because other operations measure them. The service responds with status 400 to a filter value that
 * refers to no object.
 */
export function createDocumentedFilterOperations(
  title: string,
  path: string,
  known: readonly string[],
): MeasuredOperation<MeasuredInventoryService>[] {
  const text = readFileSync(join(repositoryRoot, 'apps/inventory/openapi.json'), 'utf8');
  const parameters = (JSON.parse(text) as OpenApiDocument).paths[`/api/${path}`]?.get.parameters ?? [];
  const measured = new Set(known.map((query) => query.split('=')[0]));
  return parameters
    .filter(({ in: place, name }) => place === 'query' && !responseShapeParameters.has(name) && !measured.has(name))
    .map(({ name, schema }) => {
      const query = `${name}=${createFilterValue(name, schema)}`;
      return {
        name: `filter ${title}: ${query}`,
        runs: measurementRunsPerFilter,
        run: async (world) => {
          await world.sendRequest('GET', `${path}?limit=${filteredPageLimit}&${query}`, undefined, [400]);
        },
      };
    });
}

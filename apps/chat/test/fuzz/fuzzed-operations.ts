import type { OpenApiDocument } from '@switchboard/platform';
import type { Components, Schema } from './random-schema-values.js';

/** A parameter of an endpoint in the OpenAPI document. */
export interface Parameter {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** An endpoint (method and path) of the OpenAPI document. */
export interface FuzzedOperation {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Path of the endpoint with placeholders, such as `/api/v1/users/{user_id}`. */
  readonly path: string;
  readonly pathParameters: readonly Parameter[];
  /** Parameters that the endpoint reads from the query for GET, or from the body for other methods. */
  readonly parameters: readonly Parameter[];
  /** Parameters that the endpoint reads from the request headers. */
  readonly headerParameters: readonly Parameter[];
  /** Content type of the endpoint's body, if the body consists only of a file. */
  readonly fileType: string | undefined;
}

const methods = ['get', 'head', 'put', 'post', 'patch', 'delete'] as const;
const form = 'application/x-www-form-urlencoded';

/** Returns all endpoints of the OpenAPI document, so that new endpoints are included automatically. */
export function operationsOf(document: OpenApiDocument): FuzzedOperation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const declared = (operation.parameters ?? []).flatMap((one) => ('in' in one ? [one] : []));
      const within = (place: string) =>
        declared
          .filter((one) => one.in === place)
          .map(({ name, schema, required = false }) => ({ name, schema: schemaOf(schema), required }));
      const { requestBody } = operation;
      const content = requestBody !== undefined && 'content' in requestBody ? requestBody.content : {};
      const body = schemaOf(content[form]?.schema);
      const sent = Object.entries(body.properties ?? {}).map(([name, schema]) => ({
        name,
        schema,
        required: body.required?.includes(name) ?? false,
      }));
      const fileType = content[form] === undefined ? Object.keys(content)[0] : undefined;
      return [
        {
          method: method.toUpperCase() as FuzzedOperation['method'],
          path,
          pathParameters: within('path'),
          parameters: [...within('query'), ...sent],
          headerParameters: within('header'),
          fileType,
        },
      ];
    }),
  );
}

/** Returns the schemas of the OpenAPI document that parameters refer to, by name. */
export function componentsOf(document: OpenApiDocument): Components {
  return Object.fromEntries(
    Object.entries(document.components?.schemas ?? {}).map(([name, schema]) => [name, schemaOf(schema)]),
  );
}

/** Converts a JSON value of the OpenAPI document to the type of a schema. */
function schemaOf(schema: unknown): Schema {
  return typeof schema === 'object' && schema !== null ? (schema as Schema) : {};
}

import type { z } from 'zod';

/** HTTP methods that OpenAPI 3.1 can describe. */
export const endpointMethods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
export type EndpointMethod = (typeof endpointMethods)[number];

/** Response of an endpoint. */
export interface ResponseDescription {
  /** Text that says when the response is sent or what it contains. */
  description: string;
  /** Schema of the body; undefined if there is no body, or a body without a schema, such as a file. */
  schema?: z.ZodType;
  /** Content type. Default `application/json` if there is a schema. */
  contentType?: string;
  /** Headers specific to this response, by name. */
  headers?: Readonly<Record<string, HeaderDescription>>;
}

/** Header of a response whose value is a whole number. */
interface HeaderDescription {
  description: string;
}

/** Description of one endpoint in the OpenAPI document. */
export interface EndpointDescription {
  method: EndpointMethod;
  /** Path in OpenAPI form: `/api/v1/users/{id}`. */
  path: string;
  /** Id that is unique in the document. */
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  /** Schema with one property per path parameter. */
  pathParams?: z.ZodObject;
  query?: z.ZodObject;
  /** Request body by accepted content type. */
  body?: { contentType: string; schema: z.ZodType }[];
  /** False if the body is optional. By default it is optional if one of its schemas is. */
  bodyRequired?: boolean;
  /** Names of query parameters and form fields whose value is JSON. */
  jsonParameters?: readonly string[];
  /** Responses by status code. */
  responses: Record<number, ResponseDescription>;
  /** Names of alternative security schemes; `none` for a public endpoint. */
  security: 'none' | string[];
}

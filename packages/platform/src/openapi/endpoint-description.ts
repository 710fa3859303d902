import type { z } from 'zod';

/** HTTP methods that OpenAPI 3.1 can describe. */
export const endpointMethods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
export type EndpointMethod = (typeof endpointMethods)[number];

/** One answer of an endpoint. */
export interface ResponseDescription {
  /** When it is given. */
  description: string;
  /** Absent: the answer has no body, or one that is not described (a file). */
  schema?: z.ZodType;
  /** `application/json` when absent and there is a schema. */
  contentType?: string;
  /** Headers with a meaning of their own for this response, by name. */
  headers?: Readonly<Record<string, HeaderDescription>>;
}

/** One header of a response, whose value is a whole number. */
interface HeaderDescription {
  description: string;
}

/** Everything that the published contract says of one endpoint. */
export interface EndpointDescription {
  method: EndpointMethod;
  /** In OpenAPI form: `/api/v1/users/{id}`. */
  path: string;
  /** Unique in the document. */
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  /** One property for each parameter of the path. */
  pathParams?: z.ZodObject;
  query?: z.ZodObject;
  /** One entry for each content type that is accepted. */
  body?: { contentType: string; schema: z.ZodType }[];
  /** False: the body may be left out. When absent, it may be left out if a schema of it is optional. */
  bodyRequired?: boolean;
  /** Names of query parameters and form fields whose text is JSON. */
  jsonParameters?: readonly string[];
  /** By status code. */
  responses: Record<number, ResponseDescription>;
  /** Names of security schemes, any one of which will do; `none` for a public endpoint. */
  security: 'none' | string[];
}

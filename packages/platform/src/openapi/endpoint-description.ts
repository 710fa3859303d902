import type { z } from 'zod';

/** HTTP methods that OpenAPI 3.1 can describe. */
export const endpointMethods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
export type EndpointMethod = (typeof endpointMethods)[number];

/** OpenAPI description of one response of an endpoint. */
export interface ResponseDescription {
  /** Text that describes when the response is sent or what it contains. */
  description: string;
  /** Schema of the response body; undefined if there is no body, or if the body has no schema, such as a file. */
  schema?: z.ZodType;
  /** Content type of the response body. Default `application/json` if there is a schema. */
  contentType?: string;
  /** Descriptions of headers that only this response contains, by header name. */
  headers?: Readonly<Record<string, HeaderDescription>>;
}

/** OpenAPI description of a response header. */
interface HeaderDescription {
  description: string;
  /** Type of the response header's value. If undefined, the value is a whole number. */
  type?: 'string';
}

/** Description of one endpoint in the OpenAPI document. */
export interface EndpointDescription {
  method: EndpointMethod;
  /** URL path in OpenAPI form: `/api/v1/users/{id}`. */
  path: string;
  /** Name of the operation, which is unique in the OpenAPI document. */
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  /** Object schema with one property for each parameter in the URL path. */
  pathParams?: z.ZodObject;
  query?: z.ZodObject;
  /** Object schema with one property for each request header that the endpoint reads. */
  headerParams?: z.ZodObject;
  /** Schemas of the request body by accepted content type. */
  body?: { contentType: string; schema: z.ZodType }[];
  /** False if the request body is optional. If undefined, the body is optional if one of its schemas is optional. */
  bodyRequired?: boolean;
  /** Names of query parameters and form fields whose value is JSON. */
  jsonParameters?: readonly string[];
  /** Descriptions of the endpoint's responses, by HTTP status. */
  responses: Record<number, ResponseDescription>;
  /**
   * Names of the alternative security schemes, of which a request must satisfy one; `none` for a public endpoint
   * without authentication.
   */
  security: 'none' | string[];
  /** Scope that the credentials of a request must have. Used only by services whose credentials have scopes. */
  scope?: string;
}

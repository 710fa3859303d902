import type { OpenApiDocument } from '@switchboard/platform';
import type { FastifyInstance } from 'fastify';
import inject, { type InjectOptions } from 'light-my-request';
import { OpenApiContract } from './contract/openapi-contract.js';

/** Value of a query parameter or form field of a test request. */
type TestRequestFieldValue = string | number | boolean;

/** Options of a test request in addition to its path. At most one of `json`, `form` and `payload` may be given. */
export interface TestRequestOptions {
  /** Query parameters of the test request. A list repeats the parameter, and `undefined` omits the parameter. */
  query?: Record<string, TestRequestFieldValue | TestRequestFieldValue[] | undefined>;
  json?: unknown;
  /** Fields of a request body that is sent as application/x-www-form-urlencoded. */
  form?: Record<string, TestRequestFieldValue | undefined>;
  /** Request body that is sent unchanged, with the content type in `headers`. */
  payload?: string | Buffer;
  headers?: Record<string, string>;
  /** True to skip the contract check, for test requests that deliberately violate the OpenAPI document. */
  unchecked?: boolean;
}

/** A response to a test request, already checked against the OpenAPI document. */
export interface TestApiResponse<T> {
  status: number;
  headers: Record<string, string | string[] | number | undefined>;
  /** Parsed response body if the body is JSON, otherwise `undefined`. */
  body: T;
  /** Text of the response body, as received. */
  text: string;
}

/** OpenAPI document that {@link InProcessApiClient} compares responses with, and headers of every request. */
export interface InProcessApiClientOptions {
  openapi: OpenApiDocument;
  /** Headers that the client sends with every request, such as credentials. */
  headers?: Record<string, string>;
}

/**
 * Sends test requests to a service without a network. Checks every response against the service's OpenAPI document: an
 * undeclared operation, status, media type, key or value fails the test. An undeclared parameter of a successful
 * request fails the test too. All methods throw OpenApiContractError.
 */
export class InProcessApiClient {
  readonly #contract: OpenApiContract;

  constructor(
    private readonly fastify: Pick<FastifyInstance, 'ready' | 'server'>,
    private readonly options: InProcessApiClientOptions & { contract?: OpenApiContract },
  ) {
    this.#contract = options.contract ?? OpenApiContract.getContractOfDocument(options.openapi);
  }

  /** Returns a test client that sends additional headers with every request, such as another user's credentials. */
  withHeaders(headers: Record<string, string>): InProcessApiClient {
    return new InProcessApiClient(this.fastify, {
      ...this.options,
      contract: this.#contract,
      headers: { ...this.options.headers, ...headers },
    });
  }

  get<T = unknown>(path: string, options?: TestRequestOptions): Promise<TestApiResponse<T>> {
    return this.request('GET', path, options);
  }

  post<T = unknown>(path: string, options?: TestRequestOptions): Promise<TestApiResponse<T>> {
    return this.request('POST', path, options);
  }

  put<T = unknown>(path: string, options?: TestRequestOptions): Promise<TestApiResponse<T>> {
    return this.request('PUT', path, options);
  }

  patch<T = unknown>(path: string, options?: TestRequestOptions): Promise<TestApiResponse<T>> {
    return this.request('PATCH', path, options);
  }

  delete<T = unknown>(path: string, options?: TestRequestOptions): Promise<TestApiResponse<T>> {
    return this.request('DELETE', path, options);
  }

  head(path: string, options?: TestRequestOptions): Promise<TestApiResponse<undefined>> {
    return this.request('HEAD', path, options);
  }

  /** Sends an OPTIONS request and returns the response. The response body is not checked. */
  sendOptionsRequest<T = unknown>(path: string, options?: TestRequestOptions): Promise<TestApiResponse<T>> {
    return this.request('OPTIONS', path, options);
  }

  /** Sends a test request with any HTTP method and returns the response. */
  async request<T>(
    method: NonNullable<InjectOptions['method']>,
    path: string,
    options: TestRequestOptions = {},
  ): Promise<TestApiResponse<T>> {
    const url = appendQueryParameters(path, options.query ?? {});
    const body = encodeRequestBody(options);
    await this.fastify.ready();
    // The listeners of the server include those that respond before Fastify does.
    const dispatch: inject.DispatchFunc = (...message) => void this.fastify.server.emit('request', ...message);
    const response = await inject(dispatch, {
      method,
      url,
      headers: {
        ...(body?.contentType !== undefined && { 'content-type': body.contentType }),
        ...this.options.headers,
        ...options.headers,
      },
      ...(body && { payload: body.payload }),
    });
    const contentType = response.headers['content-type'];
    const { statusCode: status, body: text } = response;
    if (options.unchecked !== true) {
      const sentType = body?.contentType ?? options.headers?.['content-type'];
      this.#contract.checkExchange({
        method: method.toUpperCase(),
        url,
        ...(body && sentType !== undefined && { sent: { contentType: sentType, names: body.names } }),
        status,
        contentType: typeof contentType === 'string' ? contentType : undefined,
        text,
      });
    }
    const isJson = typeof contentType === 'string' && /[/+]json\b/.test(contentType) && text !== '';
    return { status, headers: response.headers, body: isJson ? JSON.parse(text) : undefined, text };
  }
}

interface EncodedTestRequestBody {
  payload: string | Buffer;
  contentType: string | undefined;
  names: string[];
}

function encodeRequestBody({ json, form, payload }: TestRequestOptions): EncodedTestRequestBody | undefined {
  if (json !== undefined) {
    const names = [json].flat().flatMap((item) => (typeof item === 'object' && item !== null ? Object.keys(item) : []));
    return { payload: JSON.stringify(json), contentType: 'application/json', names: [...new Set(names)] };
  }
  if (form !== undefined) {
    const fields = new URLSearchParams();
    appendFormFields(fields, form);
    return {
      payload: fields.toString(),
      contentType: 'application/x-www-form-urlencoded',
      names: [...new Set(fields.keys())],
    };
  }
  return payload === undefined ? undefined : { payload, contentType: undefined, names: [] };
}

function appendQueryParameters(
  path: string,
  query: Record<string, TestRequestFieldValue | TestRequestFieldValue[] | undefined>,
): string {
  const parameters = new URLSearchParams();
  appendFormFields(parameters, query);
  const text = parameters.toString();
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`;
}

function appendFormFields(
  to: URLSearchParams,
  fields: Record<string, TestRequestFieldValue | TestRequestFieldValue[] | undefined>,
): void {
  for (const [name, value] of Object.entries(fields)) {
    for (const item of [value].flat()) {
      if (item !== undefined) {
        to.append(name, String(item));
      }
    }
  }
}

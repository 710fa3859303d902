import type { AppError } from './app-error.js';

/** A rendered error response: status, body and headers. */
export interface RenderedErrorResponse {
  /** HTTP status of the response. */
  readonly status: number;
  /** Response body, which the framework serializes as JSON. */
  readonly body: unknown;
  /** Response headers, with names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The request during which an error occurred. */
export interface FailedRequestContext {
  readonly requestId: string;
  /** HTTP method of the request in upper case. */
  readonly method: string;
  /** Path and query string as the client sent them. */
  readonly url: string;
  /** For a routing error: the HTTP methods that the path allows, sorted. Empty if the path does not exist. */
  readonly allowedMethods?: readonly string[];
}

/** Converts the errors of one app to responses. */
export interface ErrorRenderer {
  /** Returns the response for an error, in the app's format. */
  render(error: AppError, context: FailedRequestContext): RenderedErrorResponse;
  /**
   * Converts an error of the web framework to one of the app: unknown route, method not allowed, unreadable or
   * oversized body, unsupported media type, and (503) an unavailable or overloaded database. Clients may see `message`.
   */
  fromHttp(status: number, message: string, context: FailedRequestContext): AppError;
  /** Returns the app's error for an unexpected exception. */
  unknown(requestId: string): AppError;
}

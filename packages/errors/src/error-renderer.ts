import type { ApplicationError } from './app-error.js';

/** A rendered error response: status, body and headers. */
export interface RenderedErrorResponse {
  /** HTTP status of the error response. */
  readonly status: number;
  /** Body of the error response, which the framework serializes as JSON. */
  readonly body: unknown;
  /** HTTP headers of the error response, with names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The request during which an error occurred. */
export interface FailedRequestContext {
  readonly requestId: string;
  /** HTTP method of the failed request, in upper case. */
  readonly method: string;
  /** Path and query string of the failed request, exactly as the client sent them. */
  readonly url: string;
  /**
   * HTTP methods that the request's path allows, sorted. Defined only for a routing error; empty if the path does not
   * exist.
   */
  readonly allowedMethods?: readonly string[];
}

/** Converts the errors of one app to HTTP responses. */
export interface ErrorRenderer {
  /** Returns the response for an error, in the error format of the app. */
  render(error: ApplicationError, context: FailedRequestContext): RenderedErrorResponse;
  /**
   * Converts an error of the web framework to an error of the app. Framework errors are unknown route, method not
   * allowed, unreadable or oversized body, unsupported media type, and (503) an unavailable or overloaded database.
   * Clients may receive the text `message`.
   */
  fromHttp(status: number, message: string, context: FailedRequestContext): ApplicationError;
  /** Returns the app's error for an unexpected exception, given the id of the request. */
  unknown(requestId: string): ApplicationError;
}

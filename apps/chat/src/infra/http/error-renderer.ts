import {
  ApplicationError,
  type FailedRequestContext,
  type ErrorRenderer,
  type RenderedErrorResponse,
} from '@switchboard/errors';
import { createBadRequestError, chatErrors } from '../../errors.js';

/** Renders errors as JSON `{result, msg, code, ...}` (chat-1-3, docs/contract/chat.md 1.5). */
export class ChatErrorRenderer implements ErrorRenderer {
  constructor(private readonly options: { readonly bodyLimitBytes: number }) {}

  render(error: ApplicationError): RenderedErrorResponse {
    const challenge = error.status === 401 ? { 'www-authenticate': 'Basic realm="zulip"' } : {};
    return {
      status: error.status,
      body: createErrorBody(error),
      headers: challenge,
    };
  }

  fromHttp(status: number, message: string, context: FailedRequestContext): ApplicationError {
    if (status === 405) {
      return chatErrors.create('METHOD_NOT_ALLOWED', {
        fields: { allowed_methods: listMethodsForAllowHeader(context) },
      });
    }
    // Clients recognize an unknown path by status and this code; NOT_FOUND is for missing objects of known paths.
    if (status === 404) return new ApplicationError({ code: 'BAD_REQUEST', status, message: 'No such endpoint' });
    if (status === 413) return createBadRequestError(createBodyTooLargeError(this.options.bodyLimitBytes));
    if (status === 503) return chatErrors.create('SERVICE_UNAVAILABLE');
    return status >= 500 ? chatErrors.create('INTERNAL_SERVER_ERROR') : createBadRequestError(message);
  }

  unknown(): ApplicationError {
    return chatErrors.create('INTERNAL_SERVER_ERROR');
  }
}

/** Returns the JSON object of the response body for an error. */
export function createErrorBody(error: ApplicationError): Readonly<Record<string, unknown>> {
  return { result: 'error', msg: error.message, code: error.code, ...error.fields };
}

/**
 * Returns the supported HTTP methods of a URL for the Allow header. HEAD is not listed, which matches the reference
 * server (Zulip).
 */
function listMethodsForAllowHeader(context: FailedRequestContext): string[] {
  return (context.allowedMethods ?? []).filter((method) => method !== 'HEAD');
}

/** Returns the error message for an uploaded file or request body larger than the limit. `limitBytes` is in bytes. */
export function createBodyTooLargeError(limitBytes: number): string {
  return `Uploaded file is larger than the allowed limit of ${Math.floor(limitBytes / (1024 * 1024))} MiB`;
}

import type { ApplicationError, ErrorRenderer } from '@switchboard/errors';
import { inventoryErrors } from '../errors.js';
import { compatibleApiVersion, referenceApiRelease } from '../inventory-version.js';
import type { ApiPaths } from './api-paths.js';

/**
 * Returns the renderer of error responses (docs/contract/inventory.md 1.5). The response body is `{"detail": …}`. If
 * the request body is invalid, the response body consists of the messages by field.
 */
export const createErrorResponseRenderer = (api: ApiPaths): ErrorRenderer => ({
  render: (error, { requestId, url }) => ({
    status: error.status,
    body: createErrorResponseBody(error),
    // Errors of the HTTP server occur before hooks can set these headers.
    headers: {
      'api-version': compatibleApiVersion,
      'x-request-id': requestId,
      ...(error.status === 405 ? { allow: api.getAllowedMethods(url.split('?', 1)[0] ?? '').join(', ') } : {}),
    },
  }),
  fromHttp: (status, _message, { method }) => {
    if (status === 404 || status === 414) return inventoryErrors.create('NOT_FOUND');
    if (status === 405) return inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
    if (status === 413) return inventoryErrors.create('PAYLOAD_TOO_LARGE');
    if (status === 415) return inventoryErrors.create('UNSUPPORTED_MEDIA_TYPE', { params: { type: '' } });
    return status === 503 ? inventoryErrors.create('UNAVAILABLE') : inventoryErrors.create('BAD_REQUEST');
  },
  unknown: () => inventoryErrors.create('INTERNAL_ERROR'),
});

function createErrorResponseBody(error: ApplicationError): unknown {
  if (error.code === 'VALIDATION_FAILED') return error.fields['body'];
  if (error.code !== 'INTERNAL_ERROR') return { detail: error.message };
  return { error: error.message, exception: 'Error', netbox_version: referenceApiRelease, python_version: 'none' };
}

import { createOpenApiJsonResponse } from '../../engine/meta/openapi-of-models.js';

const problemSchema = { $ref: '#/components/schemas/Problem' };

/** Returns the OpenAPI description of an operation that would add a script, but always fails. */
function createRejectedScriptOperation(operationId: string, summary: string): object {
  return {
    operationId,
    summary,
    tags: ['extras'],
    security: [{ tokenAuth: [] }],
    responses: {
      400: createOpenApiJsonResponse('Custom scripts cannot be run', problemSchema),
      403: createOpenApiJsonResponse('No credentials', problemSchema),
    },
  };
}

const scriptModuleIdParameter = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };

/** OpenAPI description of the operation that would add a script to the list of scripts. The operation always fails. */
export const addScriptOperation = createRejectedScriptOperation('extras_scripts_create', 'Add a script');

/** OpenAPI paths of the operations that would store script files. The operations always fail. */
export const scriptUploadOpenApiPaths = {
  '/api/extras/scripts/upload/': {
    post: createRejectedScriptOperation('extras_scripts_upload_create', 'Upload scripts'),
  },
  '/api/extras/scripts/upload/{id}/': {
    parameters: [scriptModuleIdParameter],
    put: createRejectedScriptOperation('extras_scripts_upload_update', 'Replace uploaded scripts'),
    patch: createRejectedScriptOperation('extras_scripts_upload_partial_update', 'Replace uploaded scripts in part'),
  },
};

/**
 * OpenAPI operation that runs a script (docs/contract/inventory.md 2.4). The path of the operation also has the
 * operations of the script model.
 */
export const runScriptOperation = {
  operationId: 'extras_scripts_run',
  summary: 'Run a script',
  tags: ['extras'],
  security: [{ tokenAuth: [] }],
  requestBody: {
    required: false,
    content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
  },
  responses: {
    403: createOpenApiJsonResponse('No credentials, or no permission to run it', problemSchema),
    404: createOpenApiJsonResponse('No such script', problemSchema),
    503: createOpenApiJsonResponse('No worker process runs scripts', problemSchema),
  },
};

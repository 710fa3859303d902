import { createJsonResponse } from '../../engine/meta/openapi-of-models.js';

const problemSchema = { $ref: '#/components/schemas/Problem' };

/** Returns an OpenAPI operation that would add a script. */
function rejectedUploadResponse(operationId: string, summary: string): object {
  return {
    operationId,
    summary,
    tags: ['extras'],
    security: [{ tokenAuth: [] }],
    responses: {
      400: createJsonResponse('Custom scripts cannot be run', problemSchema),
      403: createJsonResponse('No credentials', problemSchema),
    },
  };
}

const moduleIdParameter = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };

/** OpenAPI operation that would add a script to the list. */
export const addScriptOperation = rejectedUploadResponse('extras_scripts_create', 'Add a script');

/** OpenAPI paths that would store the files of scripts. */
export const uploadPaths = {
  '/api/extras/scripts/upload/': { post: rejectedUploadResponse('extras_scripts_upload_create', 'Upload scripts') },
  '/api/extras/scripts/upload/{id}/': {
    parameters: [moduleIdParameter],
    put: rejectedUploadResponse('extras_scripts_upload_update', 'Replace uploaded scripts'),
    patch: rejectedUploadResponse('extras_scripts_upload_partial_update', 'Replace uploaded scripts in part'),
  },
};

/**
 * OpenAPI operation that runs a script (docs/contract/inventory.md 2.4). The other operations of its path are those of
 * the model.
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
    403: createJsonResponse('No credentials, or no permission to run it', problemSchema),
    404: createJsonResponse('No such script', problemSchema),
    503: createJsonResponse('No worker process runs scripts', problemSchema),
  },
};

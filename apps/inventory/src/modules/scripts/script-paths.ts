import { jsonResponse } from '../../engine/meta/openapi.js';

const problemSchema = { $ref: '#/components/schemas/Problem' };

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
    403: jsonResponse('No credentials, or no permission to run it', problemSchema),
    404: jsonResponse('No such script', problemSchema),
    503: jsonResponse('No worker process runs scripts', problemSchema),
  },
};

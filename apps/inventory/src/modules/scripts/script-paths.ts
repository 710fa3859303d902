import { answer } from '../../engine/meta/openapi.js';

const problem = { $ref: '#/components/schemas/Problem' };

/** Operation that runs a script, in addition to those of the model for its path (docs/contract/inventory.md 2.4). */
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
    403: answer('No credentials, or no permission to run it', problem),
    404: answer('No such script', problem),
    503: answer('No worker process runs scripts', problem),
  },
};

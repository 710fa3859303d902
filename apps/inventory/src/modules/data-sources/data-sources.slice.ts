import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { createJsonResponse } from '../../engine/meta/openapi-of-models.js';
import { defineSlice } from '../../http/define-slice.js';
import { createOptionsOperation } from '../../http/options-openapi-operation.js';
import { dataSourceModel } from '../../models/core/data-source.js';
import { SyncController } from './data-source-sync.controller.js';
import { syncedModels } from './models-with-file-copies.js';

const problemSchema = { $ref: '#/components/schemas/Problem' };
const errorSchema = { $ref: '#/components/schemas/Refusal' };

/**
 * Returns the OpenAPI description of the path that synchronizes an object of a model (docs/contract/inventory.md 2.3).
 */
function syncPath({ path, objectName, verboseName, app }: ModelDefinition, response: string): Record<string, object> {
  const operation = `${path.replaceAll(/[/-]/g, '_')}_sync`;
  return {
    [`/api/${path}/{id}/sync/`]: {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      post: {
        operationId: `${operation}_create`,
        summary: `Synchronize a ${verboseName}`,
        tags: [app],
        security: [{ tokenAuth: [] }],
        requestBody: {
          required: false,
          content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
        },
        responses: {
          200: createJsonResponse(response, { $ref: `#/components/schemas/${objectName}` }),
          400: createJsonResponse('The content of the file is invalid', errorSchema),
          403: createJsonResponse('No credentials, or one of the permissions sync and add is missing', problemSchema),
          404: createJsonResponse(`No such ${verboseName}`, problemSchema),
        },
      },
      options: createOptionsOperation(operation, app, false),
    },
  };
}

export const dataSourcesSlice = defineSlice('data-sources', {
  controllers: [SyncController],
  methods: [
    { path: /^\/api\/core\/data-sources\/[^/]+\/sync\/?$/, methods: ['OPTIONS', 'POST'] },
    ...syncedModels.map(({ path }) => ({
      path: new RegExp(`^/api/${path}/[^/]+/sync/?$`),
      methods: ['OPTIONS', 'POST'],
    })),
  ],
  openApi: () => ({
    paths: Object.assign(
      syncPath(dataSourceModel, 'The data source in its state before the request; a job synchronizes it'),
      ...syncedModels.map((model) => syncPath(model, 'The object with the content of its file')),
    ),
  }),
});

import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { createOpenApiJsonResponse } from '../../engine/meta/openapi-of-models.js';
import { defineFeatureModule } from '../../http/define-slice.js';
import { createOptionsOperation } from '../../http/options-openapi-operation.js';
import { dataSourceModel } from '../../models/core/data-source.js';
import { DataSynchronizationController } from './data-source-sync.controller.js';
import { modelsWithDataFileCopies } from './models-with-file-copies.js';

const problemSchema = { $ref: '#/components/schemas/Problem' };
const validationErrorSchemaReference = { $ref: '#/components/schemas/Refusal' };

/**
 * Returns the OpenAPI description of the path that synchronizes an object of a model (docs/contract/inventory.md 2.3).
 */
function createSynchronizationOpenApiPath(
  { path, objectName, verboseName, app }: ModelDefinition,
  response: string,
): Record<string, object> {
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
          200: createOpenApiJsonResponse(response, { $ref: `#/components/schemas/${objectName}` }),
          400: createOpenApiJsonResponse('The content of the file is invalid', validationErrorSchemaReference),
          403: createOpenApiJsonResponse(
            'No credentials, or one of the permissions sync and add is missing',
            problemSchema,
          ),
          404: createOpenApiJsonResponse(`No such ${verboseName}`, problemSchema),
        },
      },
      options: createOptionsOperation(operation, app, false),
    },
  };
}

export const dataSourcesFeatureModule = defineFeatureModule('data-sources', {
  controllers: [DataSynchronizationController],
  methods: [
    { path: /^\/api\/core\/data-sources\/[^/]+\/sync\/?$/, methods: ['OPTIONS', 'POST'] },
    ...modelsWithDataFileCopies.map(({ path }) => ({
      path: new RegExp(`^/api/${path}/[^/]+/sync/?$`),
      methods: ['OPTIONS', 'POST'],
    })),
  ],
  openApi: () => ({
    paths: Object.assign(
      createSynchronizationOpenApiPath(
        dataSourceModel,
        'The data source in its state before the request; a job synchronizes it',
      ),
      ...modelsWithDataFileCopies.map((model) =>
        createSynchronizationOpenApiPath(model, 'The object with the content of its file'),
      ),
    ),
  }),
});

import { createOpenApiJsonResponse } from '../../engine/meta/openapi-of-models.js';
import { createOptionsOperation } from '../../http/options-openapi-operation.js';

/** OpenAPI path of the endpoint that lists the choices of a choice set for custom fields. */
export const customFieldChoicesPaths = {
  '/api/extras/custom-field-choice-sets/{id}/choices/': {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
    get: {
      operationId: 'extras_custom_field_choice_sets_choices_list',
      summary: 'List the choices of a choice set',
      tags: ['extras'],
      security: [{ tokenAuth: [] }],
      parameters: ['q', 'limit', 'offset', 'start'].map((name) => ({
        name,
        in: 'query',
        required: false,
        schema: { type: name === 'q' ? 'string' : 'integer' },
      })),
      responses: {
        200: createOpenApiJsonResponse('A page of choices', {
          type: 'object',
          properties: {
            count: { type: ['integer', 'null'] },
            next: { type: ['string', 'null'], format: 'uri' },
            previous: { type: ['string', 'null'], format: 'uri' },
            results: {
              type: 'array',
              items: {
                type: 'object',
                properties: { id: { type: 'string' }, display: { type: 'string' } },
                required: ['id', 'display'],
                additionalProperties: false,
              },
            },
          },
          required: ['count', 'next', 'previous', 'results'],
          additionalProperties: false,
        }),
        400: createOpenApiJsonResponse('The request is invalid', { $ref: '#/components/schemas/Refusal' }),
        403: createOpenApiJsonResponse('No permission', { $ref: '#/components/schemas/Problem' }),
        404: createOpenApiJsonResponse('The choice set does not exist', { $ref: '#/components/schemas/Problem' }),
      },
    },
    options: createOptionsOperation('extras_custom_field_choice_sets_choices', 'extras', false),
  },
};

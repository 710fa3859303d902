import { createOpenApiJsonResponse } from '../../engine/meta/openapi-of-models.js';
import type { JsonSchema } from '../../engine/meta/json-schema-of-values.js';

const problemSchema = { $ref: '#/components/schemas/Problem' };
const validationErrorSchema = { $ref: '#/components/schemas/Refusal' };

const renderedConfigSchema: JsonSchema = {
  type: 'object',
  properties: { configtemplate: { $ref: '#/components/schemas/NestedConfigTemplate' }, content: { type: 'string' } },
  required: ['configtemplate', 'content'],
  additionalProperties: false,
};

/** Returns the OpenAPI description of a response that is JSON or plain text. */
function createJsonOrTextResponse(description: string, schema: JsonSchema): object {
  return {
    description,
    content: { 'application/json': { schema }, 'text/plain': { schema: { type: 'string' } } },
  };
}

function createRenderingOpenApiPath(operationId: string, tag: string, what: string): object {
  const shared = { tags: [tag], security: [{ tokenAuth: [] }] };
  return {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
    post: {
      operationId: `${operationId}_create`,
      summary: `Render ${what}`,
      ...shared,
      parameters: [{ name: 'format', in: 'query', required: false, schema: { type: 'string', enum: ['json', 'txt'] } }],
      requestBody: {
        required: false,
        content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
      },
      responses: {
        200: createJsonOrTextResponse('The rendered text', renderedConfigSchema),
        400: createOpenApiJsonResponse(
          'The object has no template, or the body is not a JSON object',
          validationErrorSchema,
        ),
        403: createOpenApiJsonResponse('No credentials, or a token without write access', problemSchema),
        404: createOpenApiJsonResponse('No such object, or the user may not render it', problemSchema),
        500: createJsonOrTextResponse('The error in the template', problemSchema),
      },
    },
    options: {
      operationId: `${operationId}_options`,
      summary: 'Describe the endpoint',
      ...shared,
      responses: {
        200: createOpenApiJsonResponse('Name, description and media types', {
          type: 'object',
          additionalProperties: true,
        }),
        403: createOpenApiJsonResponse('No credentials', problemSchema),
      },
    },
  };
}

/** OpenAPI paths that render configurations and templates (docs/contract/inventory.md 2.2, 2.4). */
export const templateRenderingOpenApiPaths = {
  '/api/dcim/devices/{id}/render-config/': createRenderingOpenApiPath(
    'dcim_devices_render_config',
    'dcim',
    'the configuration of a device',
  ),
  '/api/virtualization/virtual-machines/{id}/render-config/': createRenderingOpenApiPath(
    'virtualization_virtual_machines_render_config',
    'virtualization',
    'the configuration of a virtual machine',
  ),
  '/api/extras/config-templates/{id}/render/': createRenderingOpenApiPath(
    'extras_config_templates_render',
    'extras',
    'a config template',
  ),
};

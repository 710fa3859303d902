import type { ZodOpenApiOverride } from 'zod-openapi';
import { z } from 'zod';
import { ANY_JSON_SCHEMA } from './find-undocumented-content.js';

/**
 * Removes details that zod adds to a JSON schema: bounds of safe integers, and patterns that a format already implies.
 * Replaces `.meta({ json: true })` by the internal keyword `ANY_JSON_SCHEMA`, which marks arbitrary JSON.
 */
export const simplifyJsonSchema: ZodOpenApiOverride = ({ zodSchema, jsonSchema }) => {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) {
    delete jsonSchema.minimum;
  }
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
    delete jsonSchema.maximum;
  }
  if (jsonSchema.format !== undefined && jsonSchema.pattern !== undefined) {
    delete jsonSchema.pattern;
  }
  if (z.globalRegistry.get(zodSchema)?.['json'] === true) {
    delete jsonSchema['json'];
    jsonSchema[ANY_JSON_SCHEMA] = true;
  }
};

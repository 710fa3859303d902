import type { z } from 'zod';
import type { ParameterDefinition } from './parameters.js';

/** The request bodies of an endpoint with form parameters, for the OpenAPI document. */
export function formBodies(definition: ParameterDefinition<z.ZodObject>) {
  return [
    { contentType: 'application/x-www-form-urlencoded', schema: definition.published },
    { contentType: 'multipart/form-data', schema: definition.published },
  ];
}

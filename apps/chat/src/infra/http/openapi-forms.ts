import type { EndpointDescription } from '@switchboard/platform';
import { z } from 'zod';
import type { ParameterDefinition } from './parameters.js';
import { unwrapSchema, getParameterEncoding } from './parameter-encoding.js';

/** Returns the OpenAPI descriptions of the request body of an endpoint with form parameters. */
export function createOpenApiFormBodies(definition: ParameterDefinition<z.ZodObject>) {
  return [
    { contentType: 'application/x-www-form-urlencoded', schema: definition.published },
    { contentType: 'multipart/form-data', schema: definition.published },
  ];
}

/**
 * Adds the encoding of parameters to the OpenAPI description of an endpoint. Lists and objects are sent as JSON text.
 * A form is optional if none of its parameters is required. Other bodies are optional if their schema is optional.
 */
export function withParameterEncoding(endpoint: EndpointDescription): EndpointDescription {
  const forms = (endpoint.body ?? []).flatMap(({ schema }) => (schema instanceof z.ZodObject ? [schema] : []));
  const shapes = [...forms, ...(endpoint.query ? [endpoint.query] : [])].map(({ shape }) => shape);
  const names = shapes.flatMap((shape) => Object.keys(shape).filter((name) => isSentAsJson(shape[name])));
  const required = forms.some(({ shape }) => Object.values(shape).some((field) => !isOptionalSchema(field)));
  return {
    ...endpoint,
    ...(forms.length > 0 && { bodyRequired: required }),
    ...(names.length > 0 && { jsonParameters: [...new Set(names)] }),
  };
}

/**
 * Returns true if the OpenAPI document describes a form field as JSON text. Numbers are described as plain values,
 * because the JSON text of a number equals the plain text.
 */
function isSentAsJson(field: unknown): boolean {
  return getParameterEncoding(field) === 'json' && !isNumberSchema(unwrapSchema(field));
}

function isNumberSchema(schema: unknown): boolean {
  if (schema instanceof z.ZodLiteral) return [...schema.values].every((value) => typeof value === 'number');
  return schema instanceof z.ZodNumber;
}

function isOptionalSchema(field: unknown): boolean {
  return field instanceof z.ZodType && field.isOptional();
}

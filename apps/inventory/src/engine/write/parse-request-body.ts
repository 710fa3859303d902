import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import { parseObjectRequestBody, type ParsedRequestObject, type ObjectWriteMode } from './parse-object-input.js';
import { parseTagChanges } from './tag-changes.js';

/**
 * Parses the request body of one object: its fields, and the keys that add or remove tags. Adds errors to the errors of
 * the object.
 */
export function parseRequestBody(
  model: ModelDefinition,
  registry: ModelRegistry,
  body: unknown,
  mode: ObjectWriteMode,
): ParsedRequestObject {
  const item = parseObjectRequestBody(model, registry, body, mode);
  if (body !== null && typeof body === 'object') {
    parseTagChanges(item, new Map<string, unknown>(Object.entries(body)), { model, registry, mode });
  }
  return item;
}

import type { ModelDefinition } from '../declaration/model.js';
import type { Registry } from '../declaration/registry.js';
import { readInput, type WriteItem, type WriteMode } from './read-input.js';
import { readTagChanges } from './tag-changes.js';

/**
 * Parses the request body of one object: its fields, and the keys that add or remove tags. Collects errors in the
 * object's list of errors.
 */
export function readBody(model: ModelDefinition, registry: Registry, body: unknown, mode: WriteMode): WriteItem {
  const item = readInput(model, registry, body, mode);
  if (body !== null && typeof body === 'object') {
    readTagChanges(item, new Map<string, unknown>(Object.entries(body)), { model, registry, mode });
  }
  return item;
}

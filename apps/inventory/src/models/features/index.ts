import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { featuresOfGroup } from './feature-groups.js';

/** Returns all features of a model in alphabetical order. */
export function listFeatures({ type, changeLog, events, fields }: ModelDefinition): readonly string[] {
  const declared = [
    ...(changeLog ? ['change_logging'] : []),
    ...(events ? ['event_rules'] : []),
    ...(events && type !== 'extras.script' ? ['custom_validation'] : []),
    ...(fields['custom_fields'] === undefined ? [] : ['custom_fields']),
  ];
  return [...new Set([...featuresOfGroup(type), ...declared])].toSorted();
}

import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { listGroupFeaturesOfModel } from './feature-groups.js';

/** Returns all features of a model in alphabetical order. */
export function listModelFeatures({ type, changeLog, events, fields }: ModelDefinition): readonly string[] {
  const declared = [
    ...(changeLog ? ['change_logging'] : []),
    ...(events ? ['event_rules'] : []),
    ...(events && type !== 'extras.script' ? ['custom_validation'] : []),
    ...(fields['custom_fields'] === undefined ? [] : ['custom_fields']),
  ];
  return [...new Set([...listGroupFeaturesOfModel(type), ...declared])].toSorted();
}

import type { ChoiceValueAndLabel } from '../engine/declaration/field.js';
import type { ModelDefinition } from '../engine/declaration/define-model.js';
import type { ModelRegistry } from '../engine/declaration/model-registry.js';
import { getModelTitleWithApp } from './app-names.js';

/**
 * Returns a function that lists the choices of a field that refers to a model, for the response to OPTIONS. The choices
 * are the accepted models, sorted by title (docs/contract/inventory.md 1.8).
 */
export function createObjectTypeChoicesLister(
  passes: (model: ModelDefinition) => boolean = () => true,
): (registry: ModelRegistry) => readonly ChoiceValueAndLabel[] {
  return ({ models }) =>
    models
      .filter(passes)
      .map((model) => ({ value: model.type, display_name: getModelTitleWithApp(model) }))
      .toSorted((one, other) => (one.display_name < other.display_name ? -1 : 1));
}

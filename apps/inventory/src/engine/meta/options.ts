import type { AnyField } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/model.js';

/** Which actions the caller may perform, and so sees described. */
export interface VisibleActions {
  readonly create: boolean;
  readonly change: boolean;
}

/**
 * The answer to OPTIONS (contract 1.8): what the path takes, field by field. Clients read the choices from it.
 */
export function optionsOf(model: ModelDefinition, kind: 'list' | 'detail', visible: VisibleActions): object {
  const fields = Object.fromEntries(
    Object.entries(model.fields).map(([name, field]) => [name, describeField(name, field)]),
  );
  const actions = {
    ...(visible.change ? { PUT: fields } : {}),
    ...(visible.create && kind === 'list' ? { POST: fields } : {}),
  };
  return {
    name: `${titled(model.verboseName)} ${kind === 'list' ? 'List' : 'Instance'}`,
    description: '',
    renders: ['application/json', 'text/html'],
    parses: ['application/json', 'multipart/form-data'],
    ...(Object.keys(actions).length === 0 ? {} : { actions }),
  };
}

function describeField(name: string, { traits, metadata }: AnyField): object {
  const { type, ...further } = metadata;
  return {
    type,
    required: traits.required,
    read_only: traits.readOnly,
    label: traits.label === undefined ? capitalized(name.replaceAll('_', ' ').trim()) : capitalized(traits.label),
    ...(traits.help === undefined ? {} : { help_text: traits.help }),
    ...further,
  };
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function titled(text: string): string {
  return text.split(' ').map(capitalized).join(' ');
}

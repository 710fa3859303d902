import type { AnyModelField, ListItemMetadata, ModelFieldMap, NestedObjectMetadata } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';

/** Actions that the requesting user may perform on a model. The response to OPTIONS describes the permitted actions. */
export interface PermittedActions {
  readonly create: boolean;
  readonly change: boolean;
}

/**
 * Returns the response to OPTIONS for a model, which lists the accepted fields and their choices
 * (docs/contract/inventory.md 1.8).
 */
export function createModelOptionsResponse(
  model: ModelDefinition,
  kind: 'list' | 'detail',
  visible: PermittedActions,
  registry: ModelRegistry,
): object {
  const fields = describeFields(model, registry);
  const methods = model.methods[kind];
  const actions = {
    ...(visible.change && methods.includes('PUT') ? { PUT: fields } : {}),
    ...(visible.create && methods.includes('POST') ? { POST: fields } : {}),
  };
  return createPathOptionsResponse(
    `${convertLabelToTitleCase(model.verboseName)} ${kind === 'list' ? 'List' : 'Instance'}`,
    {
      actions,
    },
  );
}

/** Optional members of a response to OPTIONS, in addition to the members for name and description. */
export interface OptionsResponseMembers {
  /** Descriptions of the fields that a path accepts, by HTTP method. Absent if the path accepts no fields. */
  readonly actions?: Readonly<Record<string, object>>;
  /**
   * Media types of the responses that a path can send, as listed in the response to OPTIONS. Default: JSON and HTML.
   */
  readonly renders?: readonly string[];
}

/**
 * Returns the response to OPTIONS for a path, with the media types that the path supports (docs/contract/inventory.md
 * 1.8).
 */
export function createPathOptionsResponse(
  name: string,
  { actions = {}, renders = ['application/json', 'text/html'] }: OptionsResponseMembers = {},
): object {
  return {
    name,
    description: '',
    renders,
    parses: ['application/json', 'multipart/form-data'],
    ...(Object.keys(actions).length === 0 ? {} : { actions }),
  };
}

/** Returns the descriptions of a model's fields in the response to OPTIONS, by field name. */
export function describeFields(model: ModelDefinition, registry: ModelRegistry): Record<string, object> {
  return describeNestedFields(model.type, Object.entries(model.fields), registry);
}

function describeNestedFields(
  type: string,
  fields: readonly (readonly [string, AnyModelField])[],
  registry: ModelRegistry,
) {
  return Object.fromEntries(
    fields.map(([name, field]) => [name, describeField(name, field, registry.getHelpText(type, name), registry)]),
  );
}

function describeField(
  name: string,
  { traits, metadata }: AnyModelField,
  help: string | null,
  registry: ModelRegistry,
): object {
  const { type, nested, child, choices, ...further } = metadata;
  const listed = typeof choices === 'function' ? choices(registry) : choices;
  return {
    type,
    required: traits.required,
    read_only: traits.readOnly,
    // The leading underscore of a name becomes a space, as in the reference API.
    label: capitalizeLabel(traits.label ?? name.replaceAll('_', ' ')),
    ...(help === null ? {} : { help_text: help }),
    ...further,
    ...(listed === undefined || traits.readOnly ? {} : { choices: listed }),
    ...(child === undefined ? {} : { child: describeListItem(child, registry) }),
    ...(nested === undefined ? {} : { children: describeFieldsOfNestedObject(nested, registry) }),
  };
}

function describeListItem({ nested, ...child }: ListItemMetadata, registry: ModelRegistry): object {
  return { ...child, ...(nested === undefined ? {} : { children: describeFieldsOfNestedObject(nested, registry) }) };
}

/**
 * Returns the descriptions of a nested object's fields for the response to OPTIONS. The result is empty if the nested
 * object's model is not declared.
 */
function describeFieldsOfNestedObject(
  { of, shape }: NestedObjectMetadata,
  registry: ModelRegistry,
): Record<string, object> {
  const target = registry.find(of);
  if (target === null) return {};
  const shown = shape ?? target.nested;
  const fields: readonly (readonly [string, AnyModelField | undefined])[] = isFieldNameList(shown)
    ? shown.map((name) => [name, target.fields[name]] as const)
    : Object.entries(shown);
  const known = fields.flatMap(([name, field]) => (field === undefined ? [] : [[name, field] as const]));
  return describeNestedFields(of, known, registry);
}

function isFieldNameList(shape: ModelFieldMap | readonly string[]): shape is readonly string[] {
  return Array.isArray(shape);
}

function capitalizeLabel(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function convertLabelToTitleCase(text: string): string {
  return text.split(' ').map(capitalizeLabel).join(' ');
}

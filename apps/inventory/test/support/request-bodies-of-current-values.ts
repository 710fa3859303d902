import type { AnyModelField } from '../../src/engine/declaration/field.js';
import type { ModelDefinition } from '../../src/engine/declaration/define-model.js';
import type { ModelRegistry } from '../../src/engine/declaration/model-registry.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns a request body that contains an object's current values. Plain values are unchanged, choices are given by
 * value, and references by id.
 */
export function createRequestBodyWithCurrentValues(model: ModelDefinition, object: Json): Json {
  const read = new Set(['text', 'integer', 'decimal', 'boolean', 'choice', 'ref']);
  const entries = Object.entries(model.fields).filter(
    ([name, field]) => isWritable(field) && read.has(field.kind) && Object.hasOwn(object, name),
  );
  return Object.fromEntries(entries.map(([name]) => [name, sent(object[name])]));
}

function sent(shown: unknown): unknown {
  if (shown === null || typeof shown !== 'object') return shown;
  const { id, value } = Object(shown);
  return id ?? value;
}

/**
 * Returns an object's references in the form of attributes of the referenced objects. The attributes are unique ones,
 * or otherwise all plain attributes and the id.
 */
export function createReferencesByAttributes(model: ModelDefinition, registry: ModelRegistry, object: Json): Json {
  return Object.fromEntries(
    Object.entries(model.fields).flatMap(([name, field]) => {
      const target = registry.find(field.relation?.targets[0] ?? '');
      const shown = object[name];
      if (!isWritable(field) || field.kind !== 'ref' || target === null) return [];
      return shown !== null && typeof shown === 'object' ? [[name, attributesOf(target, { ...shown })]] : [];
    }),
  );
}

function attributesOf(target: ModelDefinition, shown: Json): Json {
  const texts = Object.keys(shown).filter(
    (name) => target.fields[name]?.kind === 'text' && typeof shown[name] === 'string' && shown[name] !== '',
  );
  const unique = texts.find((name) =>
    target.constraints.some(
      ({ fields, whereNull }) => whereNull === undefined && fields?.length === 1 && fields[0] === name,
    ),
  );
  const names = unique === undefined ? ['id', ...texts] : [unique];
  return Object.fromEntries(names.map((name) => [name, shown[name]]));
}

function isWritable({ traits }: AnyModelField): boolean {
  return !traits.readOnly && !traits.immutable && !traits.writeOnly;
}

import type { ModelDefinition } from '../../../apps/inventory/src/engine/declaration/define-model.js';
import { modelRegistry } from '../../../apps/inventory/src/models/index.js';
import { fixtures } from '../../../apps/inventory/test/support/fixtures.js';
import { omittedReferences } from './omitted-references.js';

/** Kinds of references that the race suite distinguishes. */
export type ReferenceKind = 'cascade' | 'set_null' | 'protect' | 'generic' | 'many' | 'tags';

/** A field by which a new object can refer to an object of another model. */
export interface Reference {
  readonly kind: ReferenceKind;
  readonly model: ModelDefinition;
  readonly field: string;
  readonly target: ModelDefinition;
  /** Returns the part of a request body that refers to the object with the given id. */
  body(id: number): Record<string, unknown>;
  /** Returns true if an object in its JSON form refers to the object with the given id. */
  refersTo(shown: Readonly<Record<string, unknown>>, id: number): boolean;
}

const idOf = (value: unknown): unknown =>
  value !== null && typeof value === 'object' ? Reflect.get(value, 'id') : value;

/** Returns true if the test fixtures can create objects of the model. */
function canBeCreated(model: ModelDefinition): boolean {
  return model.methods.list.includes('POST') && fixtures[model.type] !== undefined;
}

/** Every declared reference between two models whose objects clients can create. */
export const references: readonly Reference[] = modelRegistry.models.filter(canBeCreated).flatMap((model) =>
  Object.entries(model.fields).flatMap(([field, { relation, traits, join }]): Reference[] => {
    if (relation === undefined || (traits.readOnly && relation.kind !== 'generic') || join?.moves === true) return [];
    const targets = relation.targets.flatMap((type) => modelRegistry.find(type) ?? []).filter(canBeCreated);
    const { typeField, idField, kind } = relation;
    return targets.flatMap((target): Reference[] => {
      const one = { model, field, target };
      if (kind === 'generic' && typeField !== undefined && idField !== undefined) {
        if (relation.keepOnTargetDelete === true) return [];
        return [
          {
            ...one,
            kind: 'generic',
            body: (id) => ({ [typeField]: target.type, [idField]: id }),
            refersTo: (shown, id) => shown[typeField] === target.type && shown[idField] === id,
          },
        ];
      }
      if (kind === 'ref') {
        return [
          {
            ...one,
            kind: relation.onDelete,
            body: (id) => ({ [field]: id }),
            refersTo: (shown, id) => idOf(shown[field]) === id,
          },
        ];
      }
      if (kind !== 'many' && kind !== 'tags') return [];
      return [
        {
          ...one,
          kind,
          body: (id) => ({ [field]: [id] }),
          refersTo: (shown, id) => [shown[field] ?? []].flat().some((other) => idOf(other) === id),
        },
      ];
    });
  }),
);

/** Returns the name of a reference in reports of races that violate an invariant. */
export function nameOf({ model, field, target }: Reference): string {
  return `${model.type}.${field} to ${target.type}`;
}

/** Returns true if the fixtures can create a valid request body with this reference. */
export function isRaced({ model, field, target }: Reference): boolean {
  return omittedReferences[`${model.type}.${field}`]?.includes(target.type) !== true;
}

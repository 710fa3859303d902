import type { ModelDefinition } from '../../../engine/declaration/define-model.js';
import type { ModelRegistry } from '../../../engine/declaration/model-registry.js';
import { quoteSqlLiteral, type SqlText } from '../../../engine/sql/json-text-sql.js';
import { objectRowAlias } from '../../../engine/read/object-json-sql.js';
import { templateRelationNames, singleObjectRelationNames } from './relation-names.js';

/** A relation that leads from an object to the objects of another model that refer to that object. */
export interface ReverseRelation {
  readonly name: string;
  /** Model of the objects that refer to another object. */
  readonly model: ModelDefinition;
  /** True if at most one object of the model can refer to the same object. */
  readonly isSingle: boolean;
  /** SQL for a FROM clause that selects the referring rows, which have the alias {@link objectRowAlias}. */
  readonly from: SqlText;
  /** SQL expression of the id of the object to which a referring row refers. */
  readonly owner: SqlText;
  /** Additional SQL condition on the referring rows. Null if there is no additional condition. */
  readonly condition: SqlText | null;
  /**
   * Model and SQL alias of the object to which the rows refer. Set only if the user must also have the permission to
   * view that object.
   */
  readonly viewedOwner?: { readonly model: ModelDefinition; readonly alias: SqlText };
}

/** Finds relations of models by the name that templates use. */
export class ModelRelationFinder {
  readonly #byModel = new Map<ModelDefinition, ReadonlyMap<string, ReverseRelation>>();

  constructor(private readonly registry: ModelRegistry) {}

  /** Returns the relation of a model that has the given name. Returns null if the model has no such relation. */
  findRelation(model: ModelDefinition, name: string): ReverseRelation | null {
    return this.listRelations(model).get(name) ?? null;
  }

  /** Returns all relations of a model, by their names. */
  listRelations(model: ModelDefinition): ReadonlyMap<string, ReverseRelation> {
    const known = this.#byModel.get(model);
    if (known !== undefined) return known;
    const found = [...this.#reverseReferencesOf(model), ...this.#manyToManyRelationsOf(model)];
    const relations = new Map(found.map((relation) => [relation.name, relation]));
    this.#byModel.set(model, relations);
    return relations;
  }

  #reverseReferencesOf(target: ModelDefinition): ReverseRelation[] {
    return this.registry.listReferencesToModel(target.type).flatMap(({ model, fieldName, idColumn, typeColumn }) => {
      const name = getReverseRelationName(model, fieldName);
      if (name === null) return [];
      const condition =
        typeColumn === null ? null : `${objectRowAlias}.${typeColumn} = ${quoteSqlLiteral(target.type)}`;
      const from = `${model.table} ${objectRowAlias}`;
      return [createReverseRelation(name, model, { from, owner: `${objectRowAlias}.${idColumn}`, condition })];
    });
  }

  #manyToManyRelationsOf(target: ModelDefinition): ReverseRelation[] {
    return this.registry.models.flatMap((model) =>
      Object.entries(model.fields).flatMap(([fieldName, { join, relation }]) => {
        if (join === undefined || join.moves === true || relation?.targets.includes(target.type) !== true) return [];
        const name = getReverseRelationName(model, fieldName);
        if (name === null) return [];
        const from = `${join.table} pair JOIN ${model.table} ${objectRowAlias} ON ${objectRowAlias}.id = pair.${join.own}`;
        return [createReverseRelation(name, model, { from, owner: `pair.${join.other}`, condition: null })];
      }),
    );
  }
}

function createReverseRelation(
  name: string,
  model: ModelDefinition,
  rows: Pick<ReverseRelation, 'from' | 'owner' | 'condition'>,
): ReverseRelation {
  return { name, model, isSingle: singleObjectRelationNames.has(name), ...rows };
}

function getReverseRelationName({ type }: ModelDefinition, fieldName: string): string | null {
  const names = Object.entries(templateRelationNames[type] ?? {});
  return names.find(([, fields]) => fields.includes(fieldName))?.[0] ?? null;
}

import type { ModelDefinition } from './model.js';

/** A reference of some model to a given model. */
export interface Incoming {
  readonly model: ModelDefinition;
  readonly fieldName: string;
  readonly kind: 'ref' | 'generic';
  readonly onDelete: 'protect' | 'cascade' | 'set_null';
  /** Column that stores the id. */
  readonly idColumn: string;
  /** Column that stores `<app>.<model>`, for generic references. */
  readonly typeColumn: string | null;
  /** Further columns that are set to null with it. */
  readonly emptiedToo: readonly string[];
}

/** Help texts by `<app>.<model>.<field>`. */
export type HelpTexts = Readonly<Record<string, string>>;

/**
 * All models of the service. A relation may name a model that is not declared: the field is then empty, and a written
 * value finds no object.
 */
export class Registry {
  readonly #byType = new Map<string, ModelDefinition>();
  readonly #byPath = new Map<string, ModelDefinition>();
  readonly #incoming = new Map<string, Incoming[]>();

  /** @throws RangeError if two models share a type or a path */
  constructor(
    readonly models: readonly ModelDefinition[],
    private readonly helpTexts: HelpTexts = {},
  ) {
    for (const model of models) {
      if (this.#byType.has(model.type) || this.#byPath.has(model.path)) {
        throw new RangeError(`There are two models ${model.type} or two paths ${model.path}`);
      }
      this.#byType.set(model.type, model);
      this.#byPath.set(model.path, model);
    }
    for (const model of models) this.#link(model);
  }

  /** Returns the model `<app>.<model>`, or null if it is not declared. */
  find(type: string): ModelDefinition | null {
    return this.#byType.get(type) ?? null;
  }

  /** Returns the help text of a field in OPTIONS, or null for none. */
  helpText(type: string, field: string): string | null {
    return this.helpTexts[`${type}.${field}`] ?? null;
  }

  /** Models that have endpoints. */
  get served(): readonly ModelDefinition[] {
    return this.models.filter(isServed);
  }

  /** Returns the model served at `/api/<path>/`, or null. */
  findByPath(path: string): ModelDefinition | null {
    const model = this.#byPath.get(path);
    return model !== undefined && isServed(model) ? model : null;
  }

  /** Returns all references of any model to this one. */
  incoming(type: string): readonly Incoming[] {
    return this.#incoming.get(type) ?? [];
  }

  #link(model: ModelDefinition): void {
    for (const [fieldName, field] of Object.entries(model.fields)) {
      const { relation } = field;
      if (relation === undefined || relation.kind === 'tags' || relation.kind === 'many') continue;
      if (relation.keepOnTargetDelete === true) continue;
      const own = relation.kind === 'ref' ? field.column(fieldName)?.name : relation.idField;
      if (own === undefined) continue;
      for (const target of relation.targets.filter((type) => this.#byType.has(type))) {
        const references = this.#incoming.get(target) ?? [];
        references.push({
          model,
          fieldName,
          kind: relation.kind,
          onDelete: relation.protects?.includes(target) === true ? 'protect' : relation.onDelete,
          idColumn: own,
          typeColumn: relation.typeField ?? null,
          emptiedToo: relation.emptiedToo ?? [],
        });
        this.#incoming.set(target, references);
      }
    }
  }
}

function isServed({ methods }: ModelDefinition): boolean {
  return methods.list.length + methods.detail.length > 0;
}

import type { ModelDefinition } from './model.js';

/** A reference that points at a model. */
export interface Incoming {
  readonly model: ModelDefinition;
  readonly fieldName: string;
  readonly kind: 'ref' | 'generic';
  readonly onDelete: 'protect' | 'cascade' | 'set_null';
  /** Column of the id. */
  readonly idColumn: string;
  /** Column with `<app>.<model>`, for generic references. */
  readonly typeColumn: string | null;
  /** Further columns that are emptied with it. */
  readonly emptiedToo: readonly string[];
}

/** Help texts of fields, by `<app>.<model>.<field>`. */
export type HelpTexts = Readonly<Record<string, string>>;

/**
 * All models of the service. A relation may name a model that is not declared: such a field has its empty value until
 * the model is, and writing to it finds no object.
 */
export class Registry {
  readonly #byType = new Map<string, ModelDefinition>();
  readonly #byPath = new Map<string, ModelDefinition>();
  readonly #incoming = new Map<string, Incoming[]>();

  /** @throws RangeError when two models share a type or a path */
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

  /** The model `<app>.<model>`, or null when it is not declared. */
  find(type: string): ModelDefinition | null {
    return this.#byType.get(type) ?? null;
  }

  /** The help text of a field, which OPTIONS shows; null for a field without one. */
  helpText(type: string, field: string): string | null {
    return this.helpTexts[`${type}.${field}`] ?? null;
  }

  /** The models that have paths. */
  get served(): readonly ModelDefinition[] {
    return this.models.filter(isServed);
  }

  /** The model served at `/api/<path>/`, or null. */
  findByPath(path: string): ModelDefinition | null {
    const model = this.#byPath.get(path);
    return model !== undefined && isServed(model) ? model : null;
  }

  /** Every reference to the model, from any model. */
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

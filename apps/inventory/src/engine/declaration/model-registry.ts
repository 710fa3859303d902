import { type ReferenceToModel, type ModelDefinition, ModelRegistry } from './model-declaration-types.js';

export { type ReferenceToModel, ModelRegistry } from './model-declaration-types.js';

/** Map from `<app>.<model>.<field>` to the help text of the field. */
export type FieldHelpTexts = Readonly<Record<string, string>>;

/** Model registry that looks up models in maps by type and by path. */
class DeclaredModelRegistry extends ModelRegistry {
  readonly #byType = new Map<string, ModelDefinition>();
  readonly #byPath = new Map<string, ModelDefinition>();
  readonly #incoming = new Map<string, ReferenceToModel[]>();

  constructor(
    readonly models: readonly ModelDefinition[],
    private readonly helpTexts: FieldHelpTexts = {},
  ) {
    super();
    for (const model of models) {
      if (this.#byType.has(model.type) || this.#byPath.has(model.path)) {
        throw new RangeError(`There are two models ${model.type} or two paths ${model.path}`);
      }
      this.#byType.set(model.type, model);
      this.#byPath.set(model.path, model);
    }
    for (const model of models) this.#linkReferences(model);
  }

  find(type: string): ModelDefinition | null {
    return this.#byType.get(type) ?? null;
  }

  getHelpText(type: string, field: string): string | null {
    return this.helpTexts[`${type}.${field}`] ?? null;
  }

  get servedModels(): readonly ModelDefinition[] {
    return this.models.filter(modelHasEndpoints);
  }

  findByPath(path: string): ModelDefinition | null {
    const model = this.#byPath.get(path);
    return model !== undefined && modelHasEndpoints(model) ? model : null;
  }

  listReferencesToModel(type: string): readonly ReferenceToModel[] {
    return this.#incoming.get(type) ?? [];
  }

  #linkReferences(model: ModelDefinition): void {
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

function modelHasEndpoints({ methods }: ModelDefinition): boolean {
  return methods.list.length + methods.detail.length > 0;
}

/**
 * Creates a registry of the given models.
 *
 * @throws RangeError if two models share a type or a path
 */
export function createModelRegistry(models: readonly ModelDefinition[], helpTexts?: FieldHelpTexts): ModelRegistry {
  return new DeclaredModelRegistry(models, helpTexts);
}

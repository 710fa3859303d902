import { getDigestColumn, listEncryptedFieldNames } from '../sealed/encrypted-text-sql.js';
import type { SqlText } from '../sql/json-text-sql.js';
import type {
  AuditedFields,
  ModelConstraint,
  ExtraDeleteBlockers,
  DefaultOrderTerm,
  SearchTerm,
} from './model-option-types.js';
import type {
  ChangeLogMembers,
  ModelFieldMap,
  ListFilter,
  CreateFilters,
  ModelHooks,
  ModelDefinition,
  FiltersWithPrefix,
  ModelRegistry,
  ModelRule,
} from './model-declaration-types.js';

export type {
  ModelConstraint,
  ExtraDeleteBlockers,
  ObjectToFill,
  ModelFillResult,
  ModelWithIds,
  DefaultOrderTerm,
  ModelPrepareResult,
  ValidationMessages,
  SearchTerm,
  ChangedColumns,
} from './model-option-types.js';
export type {
  ChangeLogMembers,
  ModelDefinition,
  RowValueByColumn,
  ModelRule,
  PrepareContext,
} from './model-declaration-types.js';

/** Options of {@link defineModel}. */
export interface ModelOptions<F extends ModelFieldMap> {
  /** URL path of the model's list below `/api/`. */
  readonly path: string;
  /** Singular name of the model in messages, such as `No Site matches the given query.` */
  readonly objectName: string;
  readonly verboseName: string;
  readonly verboseNamePlural: string;
  /**
   * Fields that a PUT resets to their default if the body omits them; PUT leaves other omitted fields unchanged. The
   * list follows the reference API (docs/contract/inventory.md 1.10).
   */
  readonly resetOnPut?: readonly (keyof F & string)[];
  /** Name of the model's database table; `<app>_<model>` when absent. */
  readonly table?: string;
  /** Fields of the model by name, in response order. */
  readonly fields: F;
  /**
   * Returns the SQL expression of an object's display name. The registry allows it to include names of other objects.
   */
  readonly display: (alias: string, registry: ModelRegistry) => SqlText;
  readonly brief: readonly (keyof F & string)[];
  /** Names of the fields shown when an object is nested in others. Default: the fields of `brief`. */
  readonly nested?: readonly (keyof F & string)[];
  readonly order: readonly DefaultOrderTerm[];
  readonly search?: readonly SearchTerm[];
  readonly constraints?: readonly ModelConstraint[];
  readonly rules?: readonly ModelRule<F>[];
  readonly hooks?: ModelHooks<F>;
  readonly extraDeleteBlockers?: readonly ExtraDeleteBlockers[];
  readonly filters?: readonly (ListFilter | CreateFilters)[];
  /** Filters whose names are not known in advance, such as a key of a JSON object. */
  readonly openFilters?: FiltersWithPrefix;
  /** True if changes of the model's objects can trigger event rules. Default true. */
  readonly events?: boolean;
  /** True if changes of the model's objects are recorded in the change log. Default: the value of `events`. */
  readonly changeLog?: boolean;
  /** Fields in lines of the audit trail. Default: changes of the model's objects write no such lines. */
  readonly audit?: AuditedFields;
  /**
   * References to the object that an object of the model belongs to. The change log lists changes of the model's
   * objects under that object too (docs/contract/inventory.md 4). The first reference that is set counts.
   */
  readonly relatedTo?: (keyof F & string) | readonly (keyof F & string)[];
  /** True if the objects form a tree by the reference `parent`, maintained by the triggers of `keep_tree`. */
  readonly tree?: boolean;
  /**
   * True if the object must be read again for the response to an update, because its JSON contains data of other
   * objects or triggers change it.
   */
  readonly rereadAfterUpdate?: boolean;
  /**
   * Names of references to objects whose JSON contains objects of this model. If an update changes such a reference,
   * the object must be read again for the response.
   */
  readonly rereadAfterUpdateFields?: readonly (keyof F & string)[];
  /**
   * Returns the SQL condition that some of the objects with the given ids show data of each other in their JSON, beyond
   * plain references. If it is true, all of them are read again for the response to an update.
   */
  readonly showEachOther?: (ids: SqlText) => SqlText;
  /**
   * True if the JSON of an object can contain data of other objects that the same request creates. The objects must
   * then be read again for the response.
   */
  readonly rereadAfterCreateOfMany?: boolean;
  /**
   * Names of fields whose triggers change other rows when an object is created. The object must then be read again for
   * the response.
   */
  readonly rereadAfterCreateFields?: readonly (keyof F & string)[];
  /** True if users may view all objects without a permission. Default false. */
  readonly openToUsers?: boolean;
  /**
   * Returns the SQL condition for the rows that a non-superuser may see, regardless of permissions; all rows when
   * absent.
   */
  readonly visible?: (alias: string, userId: SqlText) => SqlText;
  /** SQL types, by name, of columns that belong to no field and are set by hooks. */
  readonly hiddenColumns?: Readonly<Record<string, string>>;
  /** Members that the model's change records contain in addition to the fields of responses. */
  readonly changeLogMembers?: ChangeLogMembers;
  /**
   * Allowed HTTP methods of the model's list endpoint and of the endpoint of a single object. A model without methods
   * has no endpoints.
   */
  readonly methods?: { readonly list: readonly string[]; readonly detail: readonly string[] };
}

const allModelMethods = {
  list: ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'],
  detail: ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT'],
} as const;

/**
 * Declares a model.
 *
 * @param type `<app>.<model>`, as used in event rules and generic relations
 * @throws RangeError if an option names a field that does not exist
 */
export function defineModel<const F extends ModelFieldMap>(
  type: `${string}.${string}`,
  options: ModelOptions<F>,
): ModelDefinition {
  const app = type.split('.', 1)[0] ?? type;
  for (const name of [...options.brief, ...(options.nested ?? []), ...(options.resetOnPut ?? [])]) {
    if (!Object.hasOwn(options.fields, name)) throw new RangeError(`${type} has no field ${name}`);
  }
  return {
    type,
    app,
    table: options.table ?? type.replace('.', '_'),
    nested: options.nested ?? options.brief,
    resetOnPut: [],
    search: [],
    constraints: [],
    rules: [],
    hooks: {},
    extraDeleteBlockers: [],
    filters: [],
    openFilters: null,
    events: true,
    changeLog: options.events ?? true,
    audit: null,
    tree: false,
    rereadAfterUpdate: false,
    rereadAfterUpdateFields: [],
    showEachOther: null,
    rereadAfterCreateOfMany: false,
    rereadAfterCreateFields: [],
    openToUsers: false,
    visible: null,
    changeLogMembers: {},
    methods: allModelMethods,
    ...options,
    fields: copyWithoutPrototype(options.fields),
    hiddenColumns: {
      ...Object.fromEntries(listEncryptedFieldNames(options).map((name) => [getDigestColumn(name), 'varchar(64)'])),
      ...options.hiddenColumns,
    },
    relatedTo: [options.relatedTo ?? []].flat(),
  };
}

/**
 * Removes the prototype of the map of fields. Clients choose the names that are looked up, and an ordinary object would
 * find `constructor`.
 */
function copyWithoutPrototype<F extends ModelFieldMap>(fields: F): F {
  return Object.setPrototypeOf({ ...fields }, null) as F;
}

/** Returns true if changes of the model's objects write events, change records or audit lines. */
export function areChangesRecorded({ events, changeLog, audit }: ModelDefinition): boolean {
  return events || changeLog || audit !== null;
}

import { getEncryptedTextDigestColumn, listEncryptedFieldNames } from '../sealed/encrypted-text-sql.js';
import type { SqlText } from '../sql/json-text-sql.js';
import type {
  AuditedFields,
  ModelConstraint,
  UnreferencedDeletionBlockers,
  DefaultOrderTerm,
  ModelSearchTerm,
} from './model-option-types.js';
import type {
  ChangeRecordMemberSql,
  ModelFieldMap,
  ListFilter,
  ModelFilterFactory,
  ModelHooks,
  ModelDefinition,
  FiltersWithPrefix,
  ModelRegistry,
  ModelRule,
} from './model-declaration-types.js';

export type {
  ModelConstraint,
  UnreferencedDeletionBlockers,
  ObjectToCompleteBeforeValidation,
  ComputedValuesOrErrors,
  ModelWithIds,
  DefaultOrderTerm,
  ModelPrepareResult,
  ValidationMessagesByField,
  ModelSearchTerm,
  ColumnValuesBeforeAndAfter,
} from './model-option-types.js';
export type {
  ChangeRecordMemberSql,
  ModelDefinition,
  ObjectValuesToStore,
  ModelRule,
  PrepareHookContext,
} from './model-declaration-types.js';

export interface ModelOptions<F extends ModelFieldMap> {
  /** URL path of the model's list endpoint below `/api/`. */
  readonly path: string;
  /** Singular name of the model in messages, such as `No Site matches the given query.` */
  readonly objectName: string;
  readonly verboseName: string;
  readonly verboseNamePlural: string;
  /**
   * Names of the fields that a PUT request resets to the default if the body omits the field. Other omitted fields
   * remain unchanged. The list follows the reference API (docs/contract/inventory.md 1.10).
   */
  readonly resetOnPut?: readonly (keyof F & string)[];
  /** Name of the model's database table; `<app>_<model>` when absent. */
  readonly table?: string;
  /** Fields of the model by name, in the order of API responses. */
  readonly fields: F;
  /**
   * Function that returns the SQL expression for an object's display name. With the registry, the display name can
   * include names of other objects.
   */
  readonly display: (alias: string, registry: ModelRegistry) => SqlText;
  readonly brief: readonly (keyof F & string)[];
  /**
   * Names of the fields that responses show when an object is nested in another object. Default: the fields of `brief`.
   */
  readonly nested?: readonly (keyof F & string)[];
  readonly order: readonly DefaultOrderTerm[];
  readonly search?: readonly ModelSearchTerm[];
  readonly constraints?: readonly ModelConstraint[];
  readonly rules?: readonly ModelRule<F>[];
  readonly hooks?: ModelHooks<F>;
  readonly extraDeleteBlockers?: readonly UnreferencedDeletionBlockers[];
  readonly filters?: readonly (ListFilter | ModelFilterFactory)[];
  /** Filters whose parameter names are not fixed, for example because the name contains a key of a JSON object. */
  readonly openFilters?: FiltersWithPrefix;
  /** True if changes of the model's objects can trigger event rules. True by default. */
  readonly events?: boolean;
  /** True if changes of the model's objects are recorded in the change log. By default, the value of `events`. */
  readonly changeLog?: boolean;
  /** Fields in lines of the audit trail. Default: changes of the model's objects write no such lines. */
  readonly audit?: AuditedFields;
  /**
   * Names of reference fields to the object to which an object of the model belongs. The change log also lists changes
   * of the model's objects under the referenced object (docs/contract/inventory.md 4). The first reference that is set
   * is used.
   */
  readonly relatedTo?: (keyof F & string) | readonly (keyof F & string)[];
  /**
   * True if the model's objects form a tree by the reference `parent`. The triggers of `keep_tree` maintain the tree.
   */
  readonly tree?: boolean;
  /**
   * True if the object must be read again for the response to an update. The reason is that the JSON contains data of
   * other objects, or that triggers change the object.
   */
  readonly rereadAfterUpdate?: boolean;
  /**
   * Names of reference fields whose target's JSON contains objects of this model. If an update changes one of the
   * references, the object must be read again for the response.
   */
  readonly rereadAfterUpdateFields?: readonly (keyof F & string)[];
  /**
   * Function that returns the SQL condition that objects with the given ids show data of each other in their JSON,
   * beyond plain references. If the condition is true, all objects are read again for the response to an update.
   */
  readonly showEachOther?: (ids: SqlText) => SqlText;
  /**
   * True if the JSON of an object can contain data of other objects that the same request creates. The objects must
   * then be read again for the response.
   */
  readonly rereadAfterCreateOfMany?: boolean;
  /**
   * Names of fields whose database triggers change other rows when an object is created. If a request sets one of the
   * fields, the object must be read again for the response.
   */
  readonly rereadAfterCreateFields?: readonly (keyof F & string)[];
  /** True if users may view all objects of the model without a permission. False by default. */
  readonly openToUsers?: boolean;
  /**
   * Function that returns the SQL condition for the rows that a user who is not a superuser may see, regardless of
   * permissions. Without the function, the user may see all rows.
   */
  readonly visible?: (alias: string, userId: SqlText) => SqlText;
  /** SQL types, by column name, of columns that belong to no field and whose values hooks of the model set. */
  readonly hiddenColumns?: Readonly<Record<string, string>>;
  /** Members that the model's change records contain in addition to the fields of responses. */
  readonly changeLogMembers?: ChangeRecordMemberSql;
  /**
   * Allowed HTTP methods of the model's list endpoint and of the endpoint of a single object. A model without methods
   * has no endpoints.
   */
  readonly methods?: { readonly list: readonly string[]; readonly detail: readonly string[] };
}

const allModelHttpMethods = {
  list: ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'],
  detail: ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT'],
} as const;

/**
 * Declares a model.
 *
 * @param type `<app>.<model>`, the name used in event rules and generic relations
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
    methods: allModelHttpMethods,
    ...options,
    fields: copyFieldMapWithoutPrototype(options.fields),
    hiddenColumns: {
      ...Object.fromEntries(
        listEncryptedFieldNames(options).map((name) => [getEncryptedTextDigestColumn(name), 'varchar(64)']),
      ),
      ...options.hiddenColumns,
    },
    relatedTo: [options.relatedTo ?? []].flat(),
  };
}

/**
 * Copies the map of fields to an object without a prototype. Clients choose the names that are looked up, and an
 * ordinary object would return a value for `constructor`.
 */
function copyFieldMapWithoutPrototype<F extends ModelFieldMap>(fields: F): F {
  return Object.setPrototypeOf({ ...fields }, null) as F;
}

/** Returns true if changes of the model's objects write events, change records or audit lines. */
export function areChangesRecorded({ events, changeLog, audit }: ModelDefinition): boolean {
  return events || changeLog || audit !== null;
}

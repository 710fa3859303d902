import { digestColumn, sealedFields } from '../sealed/sealed-text.js';
import type { Sql } from '../sql/pieces.js';
import type { Constraint, ExtraDeleteBlockers, OrderTerm, SearchTerm } from './model-parts.js';
import type {
  ChangeLogMembers,
  Fields,
  Filter,
  FilterSource,
  Hooks,
  ModelDefinition,
  OpenFilters,
  Registry,
  Rule,
} from './types.js';

export type {
  Constraint,
  ExtraDeleteBlockers,
  NamedObjects,
  OrderTerm,
  Prepared,
  Problems,
  SearchTerm,
  WrittenColumns,
} from './model-parts.js';
export type { ChangeLogMembers, ModelDefinition, Row, Rule, SaveContext } from './types.js';

/** Options of {@link defineModel}. */
export interface ModelOptions<F extends Fields> {
  /** Path below `/api/`. */
  readonly path: string;
  /** Name of the class, as in the message `No Site matches the given query.` */
  readonly objectName: string;
  readonly verboseName: string;
  readonly verboseNamePlural: string;
  /**
   * Fields that a PUT resets to their default if the body omits them; PUT leaves other omitted fields unchanged. The
   * list follows the reference API (docs/contract/inventory.md 1.10).
   */
  readonly resetOnPut?: readonly (keyof F & string)[];
  /** Name of the table; `<app>_<model>` when absent. */
  readonly table?: string;
  /** Fields by name, in response order. */
  readonly fields: F;
  /** Returns the expression of the display name. The registry allows it to include names of other objects. */
  readonly display: (alias: string, registry: Registry) => Sql;
  readonly brief: readonly (keyof F & string)[];
  /** Fields shown when the object is nested in others; those of `brief` when absent. */
  readonly nested?: readonly (keyof F & string)[];
  readonly order: readonly OrderTerm[];
  readonly search?: readonly SearchTerm[];
  readonly constraints?: readonly Constraint[];
  readonly rules?: readonly Rule<F>[];
  readonly hooks?: Hooks<F>;
  readonly extraDeleteBlockers?: readonly ExtraDeleteBlockers[];
  readonly filters?: readonly (Filter | FilterSource)[];
  /** Filters with dynamic names, which the list of filters does not contain. */
  readonly openFilters?: OpenFilters;
  /** True if changes can trigger event rules. Default true. */
  readonly events?: boolean;
  /** True if changes are recorded in the change log. Default: the value of `events`. */
  readonly changeLog?: boolean;
  /**
   * References to the object that an object belongs to: the change log lists changes under it as well
   * (docs/contract/inventory.md 4). The first reference that is set counts.
   */
  readonly relatedTo?: (keyof F & string) | readonly (keyof F & string)[];
  /** True for a tree by the reference `parent`, maintained by the triggers of `keep_tree`. */
  readonly tree?: boolean;
  /**
   * True if the response to an update needs a further read, because the JSON of an object contains data of others or
   * triggers change it.
   */
  readonly rereadAfterUpdate?: boolean;
  /**
   * Fields that refer to objects whose JSON contains objects of this model, so that the response to an update needs
   * another read.
   */
  readonly rereadAfterUpdateFields?: readonly (keyof F & string)[];
  /**
   * Returns a condition: the JSON of objects with these ids contains data of one another, other than by a reference, so
   * that the response to an update of them all needs another read.
   */
  readonly showEachOther?: (ids: Sql) => Sql;
  /**
   * True if objects of one request appear in the JSON of one another, so that the response to a list needs a further
   * read.
   */
  readonly rereadAfterCreateOfMany?: boolean;
  /** Fields whose triggers change other rows on creation, so that the response needs a further read. */
  readonly rereadAfterCreateFields?: readonly (keyof F & string)[];
  /** True if users may view all objects without a permission. Default false. */
  readonly openToUsers?: boolean;
  /** Condition for the rows that a non-superuser may see, whatever their permissions; all rows when absent. */
  readonly visible?: (alias: string, userId: Sql) => Sql;
  /** SQL types of columns that hooks fill and that belong to no field, by name. */
  readonly hiddenColumns?: Readonly<Record<string, string>>;
  /** Members of change records that responses lack. */
  readonly changeLogMembers?: ChangeLogMembers;
  /** Allowed HTTP methods of the list and of one object. A model without methods has no endpoints. */
  readonly methods?: { readonly list: readonly string[]; readonly detail: readonly string[] };
}

const everyMethod = {
  list: ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'],
  detail: ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT'],
} as const;

/**
 * Declares a model.
 *
 * @param type `<app>.<model>`, as used in event rules and generic relations
 * @throws RangeError if an option names a field that does not exist
 */
export function defineModel<const F extends Fields>(
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
    tree: false,
    rereadAfterUpdate: false,
    rereadAfterUpdateFields: [],
    showEachOther: null,
    rereadAfterCreateOfMany: false,
    rereadAfterCreateFields: [],
    openToUsers: false,
    visible: null,
    changeLogMembers: {},
    methods: everyMethod,
    ...options,
    fields: withoutPrototype(options.fields),
    hiddenColumns: {
      ...Object.fromEntries(sealedFields(options).map((name) => [digestColumn(name), 'varchar(64)'])),
      ...options.hiddenColumns,
    },
    relatedTo: [options.relatedTo ?? []].flat(),
  };
}

/** Removes the prototype: fields are looked up by names from clients, and every ordinary object has a `constructor`. */
function withoutPrototype<F extends Fields>(fields: F): F {
  return Object.setPrototypeOf({ ...fields }, null) as F;
}

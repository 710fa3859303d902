import type { InventoryActor } from '../access.js';
import type { Tx } from '@switchboard/database';
import type { Filter, FilterSource } from '../filter/filter.js';
import type { OpenFilters } from '../filter/key-filter.js';
import { digestColumn, sealedFields } from '../sealed/sealed-text.js';
import type { RequestLimits } from '../request-limits.js';
import type { Services } from '../services.js';
import type { Sql } from '../sql/pieces.js';
import type { Companions } from './companions.js';
import type { Fields, StoredOf } from './field.js';
import type { Registry } from './registry.js';

/** Values about to be stored, by field name, as rules see them. */
export type Row<F extends Fields = Fields> = { readonly [K in keyof F]?: StoredOf<F[K]> };

/** Error messages by field name. The key `__all__` is used for rules on several fields. */
export type Problems = Readonly<Record<string, readonly string[]>>;

/** A rule checked before an object is written; returns null if it is met. */
export type Rule<F extends Fields = Fields> = RuleMethod<F>['check'];

/** Context of a rule: the row before the change, the registry, and the limits of requests. */
interface RuleContext<F extends Fields = Fields> {
  readonly previous: Row<F> | null;
  readonly registry: Registry;
  readonly limits: RequestLimits;
}

/** A rule as a method, so that rules of one model fit into collections for any model. */
interface RuleMethod<F extends Fields> {
  check(row: Row<F>, context: RuleContext<F>): Problems | null;
}

/** A database constraint or unique index of the model's table, with the message for its violation. */
export interface Constraint {
  /** Name of the constraint in the database. */
  readonly name: string;
  /**
   * For unique constraints: the fields whose combination is unique. After a violation they are compared to report all
   * conflicts.
   */
  readonly fields?: readonly string[];
  /** For partial unique indexes: the field that must be null for the index to apply. */
  readonly whereNull?: string;
  /** Key of the message in the response. Default: the field of a single-field constraint, else `__all__`. */
  readonly key?: string;
  /** The message. Unique constraints have a default; other constraints show the database's detail. */
  readonly message?: string;
  /** Builds the message from the detail of the database error. */
  readonly describe?: (detail: string) => string;
}

/** One term of the default order. */
export interface OrderTerm {
  readonly field?: string;
  /** Expression to sort by instead of a field. */
  readonly sql?: (alias: string) => Sql;
  readonly descending?: boolean;
  readonly nullsFirst?: boolean;
}

/** One text, number or condition that the filter `q` searches. */
export type SearchTerm =
  | {
      /** A text column of the model's table, or an expression of such columns. */
      readonly sql: (alias: string) => Sql;
      readonly lookup: 'icontains' | 'istartswith' | 'exact' | 'number' | 'covers';
    }
  | {
      /**
       * Returns the condition that a related object's text matches an ILIKE pattern. It must be able to use an index.
       */
      readonly refersTo: (alias: string, pattern: Sql) => Sql;
      readonly lookup: 'related';
    }
  | {
      /** Returns a query for the ids of rows whose related texts match an ILIKE pattern. */
      readonly ids: (pattern: Sql) => Sql;
      readonly lookup: 'ids';
    }
  | {
      /** Returns the condition on a row for an address without mask. Used only if the search text is an address. */
      readonly holds: (alias: string, host: Sql) => Sql;
      readonly lookup: 'host';
    };

/** Context of the hook `prepare`: the row before the write, the actor and services. */
export interface SaveContext<F extends Fields = Fields> {
  readonly previous: Row<F> | null;
  readonly actor: InventoryActor;
  readonly services: Services;
  /**
   * Returns the result of slow work that needs no database connection, or undefined if it is not finished: the write is
   * then repeated once it is. Equal keys of an object mean equal work.
   */
  ahead<T>(key: string, work: () => Promise<T>): Promise<T | undefined>;
}

/** Result of the hook `prepare`. */
export interface Prepared {
  /** Columns to store instead of the sent values, hidden columns included. */
  readonly columns: Readonly<Record<string, unknown>>;
  /** Field values of this response alone, such as a secret that is shown only once. */
  readonly reveal?: Readonly<Record<string, unknown>>;
}

/** The columns of a row before and after a write; before is null for a new one. */
export interface WrittenColumns {
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>>;
}

/** Ids of objects of one model. */
export interface NamedObjects {
  /** `<app>.<model>` */
  readonly type: string;
  readonly ids: readonly number[];
}

/** Objects that prevent a deletion without a reference to a deleted object. */
export interface ExtraDeleteBlockers {
  /** `<app>.<model>` */
  readonly type: string;
  /** Returns the condition on a blocking object, given its alias and an array expression of the ids to delete. */
  readonly where: (alias: string, ids: Sql) => Sql;
}

/** Hooks of a model. */
interface Hooks<F extends Fields = Fields> {
  /**
   * Checks a rule that reads other rows and cannot be a database constraint. Runs once for all objects of a write that
   * are valid so far, with the stored row of each (null for a new one); returns null for each valid one. Concurrent
   * requests may both pass, so that strict rules belong in the database.
   */
  review?(tx: Tx, rows: readonly Row<F>[], previous: readonly (Row<F> | null)[]): Promise<readonly (Problems | null)[]>;
  /**
   * Runs after an object passed its rules and before its row is written. Slow work, such as password hashing, uses
   * `context.ahead`.
   *
   * @throws AppError if the actor may not write the object
   */
  prepare?(row: Row<F>, context: SaveContext<F>): Promise<Prepared>;
  /**
   * Acquires the locks of the database triggers in a fixed order, so that concurrent bulk writes do not deadlock. Runs
   * once before all rows of a write.
   */
  lock?(tx: Tx, writes: readonly WrittenColumns[]): Promise<void>;
  /** Objects that are created along with new objects of the model. */
  companions?: Companions;
  /**
   * Returns other objects that database triggers change along with a write, so that their changes are recorded as well.
   * Runs once before all rows of a write.
   */
  triggerSideEffects?(tx: Tx, writes: readonly WrittenColumns[]): Promise<readonly NamedObjects[]>;
}

/** Expressions of JSON text by member name; see `ModelOptions.changeLogMembers`. */
export type ChangeLogMembers = Readonly<Record<string, (alias: string, model: ModelDefinition) => Sql>>;

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
  /** True if the response to an update needs a further read, because rows show other rows or triggers change them. */
  readonly rereadAfterUpdate?: boolean;
  /** Fields whose targets show objects of this model, so that the response to an update needs another read. */
  readonly rereadAfterUpdateFields?: readonly (keyof F & string)[];
  /** True if objects of one request show each other, so that the response to a list needs a further read. */
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

/** A model with all options completed. */
export interface ModelDefinition {
  /** `<app>.<model>` */
  readonly type: string;
  readonly app: string;
  readonly path: string;
  readonly objectName: string;
  readonly verboseName: string;
  readonly verboseNamePlural: string;
  readonly resetOnPut: readonly string[];
  readonly table: string;
  readonly fields: Fields;
  readonly display: (alias: string, registry: Registry) => Sql;
  readonly brief: readonly string[];
  readonly nested: readonly string[];
  readonly order: readonly OrderTerm[];
  readonly search: readonly SearchTerm[];
  readonly constraints: readonly Constraint[];
  readonly rules: readonly Rule[];
  readonly hooks: Hooks;
  readonly extraDeleteBlockers: readonly ExtraDeleteBlockers[];
  readonly filters: readonly (Filter | FilterSource)[];
  readonly openFilters: OpenFilters | null;
  readonly events: boolean;
  readonly changeLog: boolean;
  readonly relatedTo: readonly string[];
  readonly tree: boolean;
  readonly rereadAfterUpdate: boolean;
  readonly rereadAfterUpdateFields: readonly string[];
  readonly rereadAfterCreateOfMany: boolean;
  readonly rereadAfterCreateFields: readonly string[];
  readonly openToUsers: boolean;
  readonly visible: ((alias: string, userId: Sql) => Sql) | null;
  readonly hiddenColumns: Readonly<Record<string, string>>;
  readonly changeLogMembers: ChangeLogMembers;
  readonly methods: { readonly list: readonly string[]; readonly detail: readonly string[] };
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

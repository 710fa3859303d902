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

/** The object as a rule sees it: the values that are about to be stored, by field name. */
export type Row<F extends Fields = Fields> = { readonly [K in keyof F]?: StoredOf<F[K]> };

/** Messages by field name; `__all__` for rules on several fields. */
export type Problems = Readonly<Record<string, readonly string[]>>;

/** A rule checked before an object is written; returns null if it is met. */
export type Rule<F extends Fields = Fields> = RuleMethod<F>['check'];

/** Context of a rule: the row before the change, the registry, and the limits of requests. */
interface RuleContext<F extends Fields = Fields> {
  readonly previous: Row<F> | null;
  readonly registry: Registry;
  readonly limits: RequestLimits;
}

/** Type of a rule, declared as a method so that rules of one model fit into general collections. */
interface RuleMethod<F extends Fields> {
  check(row: Row<F>, context: RuleContext<F>): Problems | null;
}

/** A constraint or unique index of the model's table, with the message of its violation. */
export interface Constraint {
  /** Name in the database. */
  readonly name: string;
  /** For unique constraints: the fields that must differ together. Checked in advance to report all conflicts. */
  readonly fields?: readonly string[];
  /** For partial unique indexes: the field that must be null for the rule to apply. */
  readonly whereNull?: string;
  /** Key of the message in the response; by default the one field, or `__all__` for several. */
  readonly key?: string;
  /** The message; for unique constraints it has a default, for others the database's detail is shown. */
  readonly message?: string;
  /** Builds the message from the detail of the database error. */
  readonly describe?: (detail: string) => string;
}

/** A column or expression of the default order. */
export interface OrderTerm {
  readonly field?: string;
  /** An expression in place of a field. */
  readonly sql?: (alias: string) => Sql;
  readonly descending?: boolean;
  readonly nullsFirst?: boolean;
}

/** A path that `q` searches. */
export type SearchTerm =
  | {
      /** A text column of the model's table, or an expression of it. */
      readonly sql: (alias: string) => Sql;
      readonly lookup: 'icontains' | 'istartswith' | 'exact' | 'number' | 'covers';
    }
  | {
      /** The condition on a row for a pattern of ILIKE, for a text of what the row refers to; it must be able to use an index. */
      readonly refersTo: (alias: string, pattern: Sql) => Sql;
      readonly lookup: 'related';
    }
  | {
      /** A query for the ids of rows that are related to a text that matches a pattern of ILIKE. */
      readonly ids: (pattern: Sql) => Sql;
      readonly lookup: 'ids';
    }
  | {
      /** The condition on a row for an address without its mask, asked only when one is searched for. */
      readonly holds: (alias: string, host: Sql) => Sql;
      readonly lookup: 'host';
    };

/** The writer of an object, and its state before. */
export interface SaveContext<F extends Fields = Fields> {
  readonly previous: Row<F> | null;
  readonly actor: InventoryActor;
  readonly services: Services;
  /**
   * Returns the result of slow work that needs no connection; undefined while it is not done. Then the write runs again
   * when it is done. Equal keys of an object mean equal work.
   */
  ahead<T>(key: string, work: () => Promise<T>): Promise<T | undefined>;
}

/** Values to store in place of those sent. */
export interface Prepared {
  /** Columns to store instead, hidden ones included. */
  readonly columns: Readonly<Record<string, unknown>>;
  /** Fields that differ in this response: a secret that is shown only once. */
  readonly reveal?: Readonly<Record<string, unknown>>;
}

/** The columns of a row before and after a write; before is null for a new one. */
export interface WrittenColumns {
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>>;
}

/** Objects of a model, named by a declaration. */
export interface NamedObjects {
  /** `<app>.<model>` */
  readonly type: string;
  readonly ids: readonly number[];
}

/** Objects that prevent a deletion although they do not refer to deleted ones. */
export interface ExtraDeleteBlockers {
  /** `<app>.<model>` */
  readonly type: string;
  /** The condition on one of them, given its alias and an array expression of the ids that go. */
  readonly where: (alias: string, ids: Sql) => Sql;
}

/** Functions of a model in addition to its storage. */
interface Hooks<F extends Fields = Fields> {
  /**
   * A rule that reads other rows and cannot be expressed in SQL. Called once for all objects of a write that are valid
   * so far; returns null for each valid one. Two concurrent requests may both pass, so that strict rules belong into
   * the database.
   */
  review?(tx: Tx, rows: readonly Row<F>[]): Promise<readonly (Problems | null)[]>;
  /**
   * Runs after the rules of an object passed, before its row is written. Passwords are hashed by
   * `context.ahead`.
   *
   * @throws AppError when this actor may not write this
   */
  prepare?(row: Row<F>, context: SaveContext<F>): Promise<Prepared>;
  /**
   * Takes the locks of the triggers in a fixed order, so that concurrent bulk writes do not deadlock. Runs once before
   * all rows of a write.
   */
  lock?(tx: Tx, writes: readonly WrittenColumns[]): Promise<void>;
  /** Objects that are created along with new ones. */
  companions?: Companions;
  /**
   * Names other objects that triggers of the database change along with those of a write, so that their changes are
   * recorded as well. Asked once before all rows of a write are written.
   */
  triggerSideEffects?(tx: Tx, writes: readonly WrittenColumns[]): Promise<readonly NamedObjects[]>;
}

/** Expressions of JSON text by member name, see `ModelOptions.changeLogMembers`. */
export type ChangeLogMembers = Readonly<Record<string, (alias: string, model: ModelDefinition) => Sql>>;

/** Declaration of a model, as its author writes it. */
export interface ModelOptions<F extends Fields> {
  /** Path below `/api/`. */
  readonly path: string;
  /** Name of the class, as in `No Site matches the given query.` */
  readonly objectName: string;
  readonly verboseName: string;
  readonly verboseNamePlural: string;
  /**
   * Fields that a PUT without them resets to their default; it leaves others as they are. Which ones is the reference's
   * choice alone (docs/contract/inventory.md 1.10).
   */
  readonly resetOnPut?: readonly (keyof F & string)[];
  /** `<app>_<model>` when absent. */
  readonly table?: string;
  /** In the order of the representation. */
  readonly fields: F;
  /** Expression of the display name; uses the registry to include the name of another object. */
  readonly display: (alias: string, registry: Registry) => Sql;
  readonly brief: readonly (keyof F & string)[];
  /** Shape inside other objects; the brief one when absent. */
  readonly nested?: readonly (keyof F & string)[];
  readonly order: readonly OrderTerm[];
  readonly search?: readonly SearchTerm[];
  readonly constraints?: readonly Constraint[];
  readonly rules?: readonly Rule<F>[];
  readonly hooks?: Hooks<F>;
  readonly extraDeleteBlockers?: readonly ExtraDeleteBlockers[];
  readonly filters?: readonly (Filter | FilterSource)[];
  /** Filters with dynamic names, which are absent from the list of filters. */
  readonly openFilters?: OpenFilters;
  /** True if changes are events for event rules. Default true. */
  readonly events?: boolean;
  /** True if changes are recorded in the change log. Default as `events`. */
  readonly changeLog?: boolean;
  /**
   * The reference to what an object belongs to, by which its changes are found as well (docs/contract/inventory.md 4);
   * of several, the first that is set.
   */
  readonly relatedTo?: (keyof F & string) | readonly (keyof F & string)[];
  /** True for a tree by `parent`, maintained by the triggers of `keep_tree`. */
  readonly tree?: boolean;
  /** True if a row shows other rows or triggers change it after an update, so that it is read by a further statement. */
  readonly rereadAfterUpdate?: boolean;
  /** True if objects of one request show each other, so that a list of them is read by a further statement. */
  readonly rereadAfterCreateOfMany?: boolean;
  /** Fields whose triggers change more than the new row, so that the response needs another statement. */
  readonly rereadAfterCreateFields?: readonly (keyof F & string)[];
  /** True if every user may view the objects without a permission. Default false. */
  readonly openToUsers?: boolean;
  /** Condition for rows visible to a user who is not a superuser, regardless of permissions; by default all rows. */
  readonly visible?: (alias: string, userId: Sql) => Sql;
  /** Columns that hooks fill and no field shows, with their SQL types. */
  readonly hiddenColumns?: Readonly<Record<string, string>>;
  /** Members of the change-log form that the representation lacks: expressions of JSON text, given the table's alias. */
  readonly changeLogMembers?: ChangeLogMembers;
  /** Allowed methods on the list and on one object. A model without any is not served. */
  readonly methods?: { readonly list: readonly string[]; readonly detail: readonly string[] };
}

/** A model as the engine works with it. */
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
 * @param type `<app>.<model>`, as in event rules and generic relations
 * @throws RangeError when a shape names a field that is not there
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

/** Fields are looked up by names from outside, of which `constructor` is one that every other object has. */
function withoutPrototype<F extends Fields>(fields: F): F {
  return Object.setPrototypeOf({ ...fields }, null) as F;
}

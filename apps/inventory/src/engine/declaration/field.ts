import type { CustomFieldSource } from '../custom-fields/custom-field.js';
import type { Filter } from '../filter/filter.js';
import type { JsonSchema } from '../meta/json-schema.js';
import type { Piece, Sql } from '../sql/pieces.js';
import type { UploadField } from '../uploads/upload.js';
import type { RelatedLookup } from '../write/related-lookup.js';
import type { ModelDefinition } from './model.js';
import type { Registry } from './registry.js';

/** The column of a field. */
export interface Column {
  readonly name: string;
  /** SQL type by which a value is read out of a JSON record. */
  readonly type: string;
}

/** Context of a field in the SQL generated for it. */
export interface Place {
  readonly name: string;
  readonly model: ModelDefinition;
  /** Alias of the model's table. */
  readonly alias: string;
  readonly scope: SqlScope;
}

/** Services of one statement for the fields in it. */
export interface SqlScope {
  readonly registry: Registry;
  readonly customFields: CustomFieldSource;
  /** Expression of the scheme and host that URLs begin with, JSON-escaped. */
  readonly base: Sql;
  /** A table alias that the statement does not use yet. */
  alias(): string;
  /** Lookup of a value for all rows of a page in one batch; null where each row is read by itself. */
  readonly batchLookup: BatchLookup | null;
}

/** Loads related objects of a page with one query for all rows. */
export interface BatchLookup {
  /**
   * @param alias the rows to look up
   * @param key expression of the lookup key
   * @param query of `id`, each once, and the text `value`, given an array expression of the keys
   * @returns expression of a row's value, null without one; null when `alias` is not the page
   */
  load(alias: string, key: Sql, query: (keys: Sql) => Sql): Sql | null;
  /** Loads related objects of the found rows in turn: `from` is its FROM clause with its conditions. */
  nest(alias: string, from: Sql): void;
}

/** Position at which a value from a client is read. */
export interface InputPlace {
  readonly name: string;
  readonly registry: Registry;
  readonly model: ModelDefinition;
}

/** Properties that fields of any kind have. */
export interface Traits {
  /** Must be present in POST and PUT. */
  readonly required: boolean;
  readonly nullable: boolean;
  /** Clients cannot write it. */
  readonly readOnly: boolean;
  /** Never rendered. */
  readonly writeOnly: boolean;
  /** Fixed once the object exists. */
  readonly immutable: boolean;
  /** Value of a new object whose body does not name the field. */
  readonly default: unknown;
  /** Human name inside messages and OPTIONS, for example `route distinguisher`; the field's name in words when absent. */
  readonly label?: string;
  readonly help?: string;
  /** Whether `exclude` leaves the field out, and the work for it, when it names it (docs/contract/inventory.md 1.7). */
  readonly excludable: boolean;
  /** True if lists can be filtered by the field, if its type supports that. */
  readonly filterable: boolean;
}

/** Description of a field in OPTIONS, in addition to its traits (docs/contract/inventory.md 1.8). */
export interface FieldMetadata {
  readonly type: string;
  readonly max_length?: number;
  readonly min_value?: number;
  readonly max_value?: number;
  readonly max_digits?: number;
  readonly decimal_places?: number;
  readonly choices?: readonly ListedChoice[] | ((registry: Registry) => readonly ListedChoice[]);
  /** The nested object that the field shows; OPTIONS lists its fields as `children`. */
  readonly nested?: NestedMetadata;
  /** Metadata of a list item. */
  readonly child?: ChildMetadata;
}

/** A value of a choice field with its label. */
export interface ListedChoice {
  readonly value: string | number;
  readonly display_name: string;
}

/** `<app>.<model>` of a nested object, and the fields shown of it: its nested form unless given. */
export interface NestedMetadata {
  readonly of: string;
  readonly shape?: Fields | readonly string[] | undefined;
}

/** See {@link FieldMetadata}. */
export interface ChildMetadata {
  readonly type: string;
  readonly required: boolean;
  readonly read_only: boolean;
  readonly label?: string;
  readonly max_length?: number;
  readonly min_value?: number;
  readonly max_value?: number;
  readonly choices?: readonly ListedChoice[];
  readonly nested?: NestedMetadata;
  /** Members of an item that is an object, where no model declares them. */
  readonly children?: Readonly<Record<string, object>>;
}

/**
 * One field of a model: everything that the engine must know about it. Each kind is a file under `field-types/`.
 *
 * `Stored` is the type of the stored value in JavaScript; the declarations derive row types from it.
 */
export interface Field<Stored = unknown> {
  readonly kind: string;
  readonly traits: Traits;
  /** Returns the stored column, given the field's name; null for a computed field or one in another table. */
  column(name: string): Column | null;
  /** The field as JSON text. */
  json(place: Place): readonly Piece[];
  /** The field in change-log form (docs/contract/inventory.md 4); null when it has no part in it. */
  snapshot(place: Place): readonly Piece[] | null;
  /** Name of the field in the change-log form; the field's own when absent. */
  readonly changeLogName?: string;
  /**
   * Reads a value that a client sent, absent fields excluded.
   *
   * @throws InputProblem with the messages for the field
   */
  input(value: unknown, place: InputPlace): Stored | RelatedLookup;
  /** Returns the value to store when one is sent for an object that has one; without it the sent value is stored. */
  combine?(before: unknown, sent: unknown): unknown;
  readonly schema: { read(registry: Registry): JsonSchema; write(registry: Registry): JsonSchema };
  readonly metadata: FieldMetadata;
  /** The field's own filters. */
  filters(name: string, registry: Registry, model: ModelDefinition): readonly Filter[];
  /** Expressions that sort by the field; empty when it cannot be sorted by. */
  order(place: Place): readonly Sql[];
  /** Set by fields that are sorted by a number computed for all rows together: a table expression with `id`, and its column. */
  readonly orderedBy?: OrderSource;
  /** Set by references that store the order of their target: expressions of the row that sort as the target's own do. */
  readonly storedOrder?: (alias: string) => readonly Sql[];
  /** True for references with an index of their column and the id. A list in their order reads some rows of each target. */
  readonly isIndexedWithId?: boolean;
  /** Set by relations, so that the registry can link models. */
  readonly relation?: Relation;
  /** Set by tags: tables of the tags and their assignments. */
  readonly tagTables?: { readonly type: string; readonly assignments: string };
  /** Set by file fields: their column has the path, '' for none. */
  readonly upload?: UploadField;
  /** Set by many-to-many relations: the join table. */
  readonly join?: Join;
  /** Set by lists of rows of the object: their table. */
  readonly rows?: OwnedRows;
  /** Set by fields that a function of the database stores as objects of another model. See `storeParts`. */
  readonly storedBy?: StoredBy;
  /** Set by encrypted texts: whether statements return them, to be decrypted for users who can view the object. */
  readonly sealed?: 'hidden' | 'shown';
}

/** A table expression with the column `id`, and the column that sorts. */
export interface OrderSource {
  readonly source: Sql;
  readonly column: string;
}

/** Storage of a field as objects of another model. */
export interface StoredBy {
  /** Name of the function. */
  readonly function: string;
  /** `<app>.<model>` of those objects, and their reference to the object that has the field. */
  readonly parts: string;
  readonly via: string;
  /** Columns of those objects that name the objects they end at. The function changes these objects as well. */
  readonly ends: { readonly type: string; readonly id: string };
}

/** A table of pairs of related objects. */
export interface Join {
  readonly table: string;
  /** Column of the object that has the field. */
  readonly own: string;
  /** Column of the object that it is related to. */
  readonly other: string;
  /** True if the rows are the related objects themselves, each owned by one object. */
  readonly moves?: boolean;
}

/** A table of rows that belong to one object each. */
export interface OwnedRows {
  readonly table: string;
  /** Column of the object that the row belongs to. */
  readonly own: string;
  /** Numbers in a row: column, name on the wire, and the `<app>.<model>` whose id it is. */
  readonly columns: readonly { readonly name: string; readonly part: string; readonly to?: string }[];
}

/** A reference from one model to another. */
export interface Relation {
  readonly kind: 'ref' | 'generic' | 'tags' | 'many';
  /** `<app>.<model>`; for a generic reference the types it may point to. */
  readonly targets: readonly string[];
  readonly onDelete: 'protect' | 'cascade' | 'set_null';
  /** Dependent columns that are emptied together with the reference. */
  readonly emptiedToo?: readonly string[];
  /** For a generic reference: the fields of type and id. */
  readonly typeField?: string;
  readonly idField?: string;
  /** Message for an id that finds nothing; the usual text when absent. */
  missing?(id: number): string;
  /**
   * True if the reference survives the deletion of its target: a generic reference stays, and a foreign key is emptied
   * by the database without a change record.
   */
  readonly keepOnTargetDelete?: boolean;
  /** True if an object that the user cannot view is treated as nonexistent, in writes and filters. */
  readonly viewedOnly?: boolean;
  /** For a generic reference: types of `targets` that are protected regardless of `onDelete`. */
  readonly protects?: readonly string[];
  /** For a generic reference with a type and no id: the key of the message, and the message. */
  readonly incomplete?: { readonly key: string; message(target: ModelDefinition): string };
  /** For a generic reference that finds nothing: the key of the message, and the message. */
  readonly notFoundMessage?: { readonly key: string; message(target: ModelDefinition, id: number): string };
}

/** A field of any type. */
export type AnyField = Field;

/** Fields by name, in the order of the representation. */
export type Fields = Readonly<Record<string, AnyField>>;

/** The stored value of a field. */
export type StoredOf<F> = F extends Field<infer Stored> ? Stored : never;

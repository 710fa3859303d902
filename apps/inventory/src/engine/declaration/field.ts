import type { CustomFieldSource } from '../custom-fields/custom-field.js';
import type { Filter } from '../filter/filter.js';
import type { JsonSchema } from '../meta/json-schema.js';
import type { Piece, Sql } from '../sql/pieces.js';
import type { UploadField } from '../uploads/upload.js';
import type { RelatedLookup } from '../write/related-lookup.js';
import type { ModelDefinition } from './model.js';
import type { Registry } from './registry.js';

/** Column that stores a field. */
export interface Column {
  readonly name: string;
  /** SQL type used to read the value from a JSON record. */
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

/** Services that the fields of one statement share. */
export interface SqlScope {
  readonly registry: Registry;
  readonly customFields: CustomFieldSource;
  /** Expression of the scheme and host that URLs begin with, already escaped for JSON. */
  readonly base: Sql;
  /** Returns a table alias that is unused in the statement. */
  alias(): string;
  /** Loads related objects of all rows of a page in one query; null if each row loads its own. */
  readonly batchLookup: BatchLookup | null;
}

/** Loads related objects of a page with one query for all rows. */
export interface BatchLookup {
  /**
   * Returns the expression of a row's loaded value, which is null if nothing was found. Returns null if `alias` is not
   * the page.
   *
   * @param alias table alias of the rows to look up
   * @param key expression of the lookup key
   * @param query builds a query with the columns `id` (unique) and `value` (text) from an array expression of the keys
   */
  load(alias: string, key: Sql, query: (keys: Sql) => Sql): Sql | null;
  /**
   * Makes the rows of `from`, a FROM clause with its conditions, a page whose own related objects are loaded in
   * batches.
   */
  nest(alias: string, from: Sql): void;
}

/** Position of a value in a request body. */
export interface InputPlace {
  readonly name: string;
  readonly registry: Registry;
  readonly model: ModelDefinition;
}

/** Properties that fields of any kind have. */
export interface Traits {
  /** True if POST and PUT must contain the field. */
  readonly required: boolean;
  readonly nullable: boolean;
  /** True if clients cannot write the field. */
  readonly readOnly: boolean;
  /** True if the field is never shown. */
  readonly writeOnly: boolean;
  /** True if the field cannot change after creation. */
  readonly immutable: boolean;
  /** Value of a new object whose body does not name the field. */
  readonly default: unknown;
  /** Name used in messages and OPTIONS, for example `route distinguisher`; the field's name in words when absent. */
  readonly label?: string;
  readonly help?: string;
  /** True if `exclude` can omit the field and the work to compute it (docs/contract/inventory.md 1.7). */
  readonly excludable: boolean;
  /** True if lists can be filtered by the field, provided that its type supports filters. */
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

/** Type (`<app>.<model>`) of a nested object, and its shown fields; the model's nested form when absent. */
export interface NestedMetadata {
  readonly of: string;
  readonly shape?: Fields | readonly string[] | undefined;
}

/** Metadata of a list item in OPTIONS; see {@link FieldMetadata}. */
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
  /** Members of an item that is an object of no declared model. */
  readonly children?: Readonly<Record<string, object>>;
}

/**
 * One field of a model. Each kind of field is a file under `field-types/`.
 *
 * `Stored` is the JavaScript type of the stored value; row types are derived from it.
 */
export interface Field<Stored = unknown> {
  readonly kind: string;
  readonly traits: Traits;
  /** Returns the stored column, given the field's name; null for a computed field or one in another table. */
  column(name: string): Column | null;
  /** Returns the pieces of the field's JSON text in responses. */
  json(place: Place): readonly Piece[];
  /**
   * Returns the pieces of the field's JSON text in change records (docs/contract/inventory.md 4); null to leave it out.
   */
  snapshot(place: Place): readonly Piece[] | null;
  /** Name of the field in change records; the field's own name when absent. */
  readonly changeLogName?: string;
  /**
   * Reads a value that a client sent, absent fields excluded.
   *
   * @throws InputProblem with the messages for the field
   */
  input(value: unknown, place: InputPlace): Stored | RelatedLookup;
  /** Merges a sent value into the stored one. Without it, the sent value is stored. */
  combine?(before: unknown, sent: unknown): unknown;
  readonly schema: { read(registry: Registry): JsonSchema; write(registry: Registry): JsonSchema };
  readonly metadata: FieldMetadata;
  /** Returns the filters that the field adds to lists. */
  filters(name: string, registry: Registry, model: ModelDefinition): readonly Filter[];
  /** Returns expressions that sort by the field; none if sorting is not supported. */
  order(place: Place): readonly Sql[];
  /** Set by fields sorted by a number that is computed for all rows together. */
  readonly orderedBy?: OrderSource;
  /**
   * Set by references that store the sort values of their target. Returns these columns, which sort like the target
   * itself.
   */
  readonly storedOrder?: (alias: string) => readonly Sql[];
  /**
   * True for references with an index on their column and the id, so that a page in their order reads few rows of each
   * target.
   */
  readonly isIndexedWithId?: boolean;
  /** Set by relations: the models that the field refers to. */
  readonly relation?: Relation;
  /** Set by tags: the tag model and the table of assignments. */
  readonly tagTables?: { readonly type: string; readonly assignments: string };
  /** Set by file fields, whose column stores the path of the file, or '' for none. */
  readonly upload?: UploadField;
  /** Set by many-to-many relations: the table of pairs. */
  readonly join?: Join;
  /** Set by fields that are lists of owned rows: the table of these rows. */
  readonly rows?: OwnedRows;
  /** Set by fields that a database function stores as objects of another model. See `storeParts`. */
  readonly storedBy?: StoredBy;
  /** Set by encrypted texts: `shown` if statements return them, to be decrypted for users who can view the object. */
  readonly sealed?: 'hidden' | 'shown';
}

/** A table expression with a column `id`, and the name of its sort column. */
export interface OrderSource {
  readonly source: Sql;
  readonly column: string;
}

/** Storage of a field as objects of another model, called parts. */
export interface StoredBy {
  /** Name of the database function that stores the parts. */
  readonly function: string;
  /** Type (`<app>.<model>`) of the parts, and their reference to the object that has the field. */
  readonly parts: string;
  readonly via: string;
  /** Columns of a part that name the object at its end. The database function changes these objects as well. */
  readonly ends: { readonly type: string; readonly id: string };
}

/** Table of pairs of related objects. */
export interface Join {
  readonly table: string;
  /** Column of the object that has the field. */
  readonly own: string;
  /** Column of the related object. */
  readonly other: string;
  /** True if the rows are the related objects themselves, each of which belongs to one object. */
  readonly moves?: boolean;
}

/** Table of rows that each belong to one object. */
export interface OwnedRows {
  readonly table: string;
  /** Column of the object that the row belongs to. */
  readonly own: string;
  /** Numbers of a row: column, wire name, and `<app>.<model>` if the number is an id. */
  readonly columns: readonly { readonly name: string; readonly part: string; readonly to?: string }[];
}

/** A reference from one model to another. */
export interface Relation {
  readonly kind: 'ref' | 'generic' | 'tags' | 'many';
  /** `<app>.<model>` of the target; for a generic reference all types that it may refer to. */
  readonly targets: readonly string[];
  readonly onDelete: 'protect' | 'cascade' | 'set_null';
  /** Further columns that are set to null together with the reference. */
  readonly emptiedToo?: readonly string[];
  /** For a generic reference: the fields of the type and of the id. */
  readonly typeField?: string;
  readonly idField?: string;
  /** Returns the message for an id that does not exist; a general message when absent. */
  missing?(id: number): string;
  /**
   * True if the reference survives the deletion of its target. A generic reference then remains unchanged; a foreign
   * key is set to null by the database without a change record.
   */
  readonly keepOnTargetDelete?: boolean;
  /** True if objects that the user cannot view are treated as nonexistent in writes and filters. */
  readonly viewedOnly?: boolean;
  /**
   * For a generic reference: types in `targets` whose objects cannot be deleted while referenced, whatever `onDelete`
   * is.
   */
  readonly protects?: readonly string[];
  /** Error for a generic reference with a type but no id: its key and message. */
  readonly incomplete?: { readonly key: string; message(target: ModelDefinition): string };
  /** Error for a generic reference to a nonexistent object: its key and message. */
  readonly notFoundMessage?: { readonly key: string; message(target: ModelDefinition, id: number): string };
}

/** A field of unknown stored type. */
export type AnyField = Field;

/** Fields by name, in response order. */
export type Fields = Readonly<Record<string, AnyField>>;

/** Type of the stored value of a field. */
export type StoredOf<F> = F extends Field<infer Stored> ? Stored : never;

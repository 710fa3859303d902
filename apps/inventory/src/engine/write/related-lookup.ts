import { formatAsPython } from './format-as-python.js';

/**
 * A related object in a request body, given by id or by attributes that identify exactly one object
 * (docs/contract/inventory.md 1.10). The related object is looked up before the write.
 */
export class RelatedObjectLookup {
  /** True if the field that contains the related object can contain several objects. */
  readonly many: boolean;
  /** True if related objects that the user cannot view are treated as nonexistent. */
  readonly viewedOnly: boolean;

  constructor(
    /** Model of the related object, as `<app>.<model>`. */
    readonly type: string,
    readonly requested: readonly RelatedObjectKey[],
    private readonly options: RelatedObjectLookupOptions = {},
  ) {
    this.many = options.many === true;
    this.viewedOnly = options.viewedOnly === true;
  }

  /** Returns the error message for the case that no object has the given id. */
  createMissingIdMessage(id: number): string {
    return this.options.missing?.(id) ?? `Related object not found using the provided numeric ID: ${id}`;
  }

  /** Returns the error message for the case that no object has the given attributes. */
  createUnknownAttributesMessage(attributes: RelatedObjectAttributes): string {
    return (
      this.options.unknown?.(attributes) ??
      `Related object not found using the provided attributes: ${formatAsPython(attributes)}`
    );
  }
}

/** Options of {@link RelatedObjectLookup}, such as error messages that replace the usual messages. */
export interface RelatedObjectLookupOptions {
  readonly many?: boolean;
  readonly viewedOnly?: boolean | undefined;
  readonly missing?: (id: number) => string;
  readonly unknown?: (attributes: RelatedObjectAttributes) => string;
}

/** Id or attributes by which a related object is looked up. */
export type RelatedObjectKey = { readonly id: number } | { readonly attributes: RelatedObjectAttributes };

/** Field values that together identify one object, by field name. */
export type RelatedObjectAttributes = Readonly<Record<string, unknown>>;

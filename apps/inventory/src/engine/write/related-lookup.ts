import { pythonText } from './python-text.js';

/**
 * Related object in a request body, given by id or by attributes that identify exactly one object
 * (docs/contract/inventory.md 1.10). It is resolved before writing.
 */
export class RelatedLookup {
  /** True if the field contains several objects. */
  readonly many: boolean;
  /** True if objects that the user cannot view are treated as nonexistent. */
  readonly viewedOnly: boolean;

  constructor(
    /** `<app>.<model>` of the object. */
    readonly type: string,
    readonly requested: readonly RelatedKey[],
    private readonly options: LookupOptions = {},
  ) {
    this.many = options.many === true;
    this.viewedOnly = options.viewedOnly === true;
  }

  /** Returns the message for an id that no object has. */
  missing(id: number): string {
    return this.options.missing?.(id) ?? `Related object not found using the provided numeric ID: ${id}`;
  }

  /** Returns the message for attributes that no object has. */
  unknown(attributes: RelatedAttributes): string {
    return (
      this.options.unknown?.(attributes) ??
      `Related object not found using the provided attributes: ${pythonText(attributes)}`
    );
  }
}

/** Options of {@link RelatedLookup}. Without own messages, it uses the usual ones. */
export interface LookupOptions {
  readonly many?: boolean;
  readonly viewedOnly?: boolean | undefined;
  readonly missing?: (id: number) => string;
  readonly unknown?: (attributes: RelatedAttributes) => string;
}

/** Key for looking up an object. */
export type RelatedKey = { readonly id: number } | { readonly attributes: RelatedAttributes };

/** Values of fields that identify an object. */
export type RelatedAttributes = Readonly<Record<string, unknown>>;

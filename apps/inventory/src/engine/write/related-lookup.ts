import { pythonText } from './python-text.js';

/**
 * A related object that a client named, to be found before writing: by id, or by attributes that identify exactly one
 * (contract 1.10).
 */
export class RelatedLookup {
  constructor(
    /** `<app>.<model>` of the object looked for. */
    readonly type: string,
    readonly wanted: readonly RelatedKey[],
    /** Whether the field holds several objects. */
    readonly many: boolean,
    /** Message for an id that finds nothing; the usual text when absent. */
    readonly missing: (id: number) => string = (id) => `Related object not found using the provided numeric ID: ${id}`,
    /** Message for attributes that find nothing; the usual text when absent. */
    readonly unknown: (attributes: RelatedAttributes) => string = (attributes) =>
      `Related object not found using the provided attributes: ${pythonText(attributes)}`,
  ) {}
}

/** By what an object is looked for. */
export type RelatedKey = { readonly id: number } | { readonly attributes: RelatedAttributes };

/** Values of fields that identify an object. */
export type RelatedAttributes = Readonly<Record<string, unknown>>;

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
  ) {}
}

/** By what an object is looked for. */
export type RelatedKey = { readonly id: number } | { readonly attributes: Readonly<Record<string, unknown>> };

/** Options of a `TemplateObject`. */
export interface ObjectOptions {
  /** Name of the type, with which lists of objects are written: `[<Site: Delta>]`. */
  readonly typeName?: string;
  /** Type and id of a stored object. Two objects that have both are equal if these are, whatever their text forms. */
  readonly identity?: string;
  /** Returns the text as which the text form of such an object is sorted; null for a text of another kind. */
  readonly sortKey?: (text: string) => string | null;
  /** True for a text with fields. */
  readonly isText?: boolean;
  /** True for a text that is not escaped where it is printed. */
  readonly isSafe?: boolean;
  /** Compares the object with a text, for a lookup whose name begins with `net_`. */
  readonly compare?: (lookup: string, text: string) => boolean;
  /**
   * Finds members that are not among the JSON fields. Returns JSON, a `TemplateObject`, a `RelatedList`, a
   * `TemplateMethod`, or undefined if there is no such member. Returns a load if it has to be read first: the member is
   * then asked for again.
   */
  readonly find?: (name: string) => unknown;
}

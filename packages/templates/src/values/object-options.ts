/** Options of a `TemplateObject`. */
export interface TemplateObjectOptions {
  /** Name of the object's type, as printed in lists of objects: `[<Site: Delta>]`. */
  readonly typeName?: string;
  /**
   * Type and id of a stored object, as one text. Two objects with identities are equal if their identities are equal,
   * regardless of their text forms.
   */
  readonly identity?: string;
  /** Returns the sort key for the text form of an object of this type; null for a text that is not such a form. */
  readonly sortKey?: (text: string) => string | null;
  /** True if the object is a text that also has fields, such as an address. */
  readonly isText?: boolean;
  /** True if the object is a text that is printed without escaping. */
  readonly isSafe?: boolean;
  /** Compares the object with a text, for a lookup whose name begins with `net_`. */
  readonly compare?: (lookup: string, text: string) => boolean;
  /**
   * Finds members that are not among the JSON fields. Returns JSON, a `TemplateObject`, a `RelatedList`, a
   * `TemplateMethod`, or undefined if there is no such member. Returns a load if the member has to be read first; the
   * member is requested again after the load.
   */
  readonly find?: (name: string) => unknown;
}

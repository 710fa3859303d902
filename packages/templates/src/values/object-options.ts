/** Options of a `TemplateObject`. */
export interface TemplateObjectOptions {
  /** Name of the object's type, which is printed in lists of objects: `[<Site: Delta>]`. */
  readonly typeName?: string;
  /**
   * Type and id of a stored object, as one text. Two stored objects are equal if the identities are equal, regardless
   * of the text forms.
   */
  readonly identity?: string;
  /**
   * Function that returns the sort key for the text form of an object of this type. Returns null for a text that is not
   * a valid text form of the type.
   */
  readonly sortKey?: (text: string) => string | null;
  /** True if the template object is a text that also has fields, such as an IP address. */
  readonly isText?: boolean;
  /** True if the template object is a text that is printed without escaping. */
  readonly isSafe?: boolean;
  /**
   * Function that compares the object with a text, for a lookup whose name begins with `net_`. Returns true if the
   * condition is met.
   */
  readonly compare?: (lookup: string, text: string) => boolean;
  /**
   * Function that returns a member of the object that is not among the JSON fields. The result is JSON, a
   * `TemplateObject`, a `RelatedList`, a `TemplateMethod`, or undefined for an unknown member. The result is a load if
   * the member must be read first; the member is requested again after the load.
   */
  readonly find?: (name: string) => unknown;
}

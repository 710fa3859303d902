/** A response that was built from the database. */
export interface NewlyBuiltResponse<B> {
  readonly body: B;
  readonly headers: Readonly<Record<string, string>>;
  /** Entity tag of a list response, made from its bytes. */
  readonly tag?: string | undefined;
}

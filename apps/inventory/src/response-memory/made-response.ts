/** A response read from the database. */
export interface MadeResponse<B> {
  readonly body: B;
  readonly headers: Readonly<Record<string, string>>;
  /** Entity tag of the bytes of a list. */
  readonly tag?: string | undefined;
}

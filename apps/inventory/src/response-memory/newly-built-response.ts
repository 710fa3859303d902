/** A response that was built from the database instead of taken from the cache. */
export interface NewlyBuiltResponse<B> {
  readonly body: B;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Entity tag of the response to a list request, computed from the bytes of the response. Absent for other responses.
   */
  readonly tag?: string | undefined;
}

/**
 * The account that performs a request. Each service adds what its rules need (role, token flags, organization) by
 * extending this interface; everything in this package is generic over it. An id is an integer, or a text such as a
 * UUID in a service that extends `Actor<string>`.
 */
export interface Actor<Id extends number | string = number> {
  /** Organization of the account, in services with several organizations. */
  readonly realm?: string;
  readonly id: Id;
  /** Kind of account in the service's own terms, for example `user`, `bot` or `token`. */
  readonly kind: string;
}

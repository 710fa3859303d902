/**
 * The account that performs a request. Each service extends this interface with the data of its permission rules (role,
 * token flags, organization). The functions of this package are generic over the extended type. An id is an integer, or
 * a string such as a UUID in a service that extends `Actor<string>`.
 */
export interface AuthenticatedAccount<Id extends number | string = number> {
  /** Organization of the account, in services with several organizations. */
  readonly realm?: string;
  readonly id: Id;
  /** Kind of account in the service's own terms, for example `user`, `bot` or `token`. */
  readonly kind: string;
}

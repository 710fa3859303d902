/**
 * The account that performs a request. Each service adds what its rules need (role, token flags, organization) by
 * extending this interface; everything in this package is generic over it.
 */
export interface Actor {
  /** Organization of the account, in services with several organizations. */
  readonly realm?: string;
  readonly id: number;
  /** Kind of account in the service's own terms, for example `user`, `bot` or `token`. */
  readonly kind: string;
}

/**
 * The account that performs a request. Each service adds what its rules need (role, token flags, organization) by
 * extending this interface; everything in this package is generic over it.
 */
export interface Actor {
  /** The organization the actor belongs to, in services that keep several. */
  readonly realm?: string;
  readonly id: number;
  /** The kind of principal in the service's own terms, for example `user`, `bot` or `token`. */
  readonly kind: string;
}

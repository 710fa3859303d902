/** Account in audit lines. */
export interface AuditActor {
  /** Id of the organization, in services with several organizations. */
  readonly realm?: string | undefined;
  readonly id: number | string;
  /** Kind of account, such as `user` or `bot`. */
  readonly kind: string;
}

/** Origin of a request: the address of the client, and the authenticated account. */
export class RequestOrigin {
  /** Account of the request; null before the authentication and for requests without credentials. */
  actor: AuditActor | null = null;

  /** @param address address of the client, as trusted proxies report it (`TRUST_PROXY`) */
  constructor(readonly address: string) {}
}

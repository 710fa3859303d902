import { hash } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import {
  type CredentialCache,
  parseTokenHeader,
  type PepperedSecretDigester,
  type TokenAuthorizationHeader,
  type TokenHeaderParsingFault,
} from '@switchboard/auth';
import type { Clock } from '@switchboard/platform';
import type { InventoryActor } from '../engine/object-access.js';
import { parseIpNetwork } from '../engine/field-types/ip-network.js';
import { inventoryErrors } from '../errors.js';
import type { TokenWithUser, ApiTokenStore } from './api-token-store.js';

/** Parts of a request that are needed to authenticate the request. */
export interface RequestCredentials {
  readonly authorization: string | undefined;
  /** IP address of the client, taken from forwarding headers if the request came through a trusted proxy. */
  readonly address: string;
  /**
   * Digest of the `Authorization` header (see {@link digestAuthorizationHeader}), if the caller has already computed
   * the digest.
   */
  readonly digest?: string;
}

/**
 * Returns the digest of an `Authorization` header. The token cache uses the digest as the key, so that the cache
 * contains no tokens in clear text.
 */
export function digestAuthorizationHeader(authorization: string | undefined): string {
  return hash('sha256', authorization ?? '', 'base64');
}

export interface RequestAuthenticatorOptions {
  readonly store: ApiTokenStore;
  readonly pepper: PepperedSecretDigester;
  readonly cache: CredentialCache<TokenWithUser>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: { warn(fields: object, message: string): void };
}

/** A well-formed API token in the `Authorization` header of a request. */
type PresentedApiToken = Extract<TokenAuthorizationHeader, { readonly scheme: 'v1' | 'v2' }>;

const tokenUseUpdateIntervalMs = 60_000;
const maxTokensWithTrackedUse = 10_000;

const authorizationHeaderErrorMessages: Readonly<Record<TokenHeaderParsingFault, string>> = {
  form: 'Invalid authorization header: Must be in the form "Bearer <key>.<token>" or "Token <token>"',
  key: "Invalid authorization header: Could not parse key from v2 token. Did you mean to use 'Token' instead of 'Bearer'?",
  characters: 'Invalid authorization header: Token contains invalid characters',
};

/**
 * Authenticates requests: resolves the `Authorization` header of a request to an actor (docs/contract/inventory.md
 * 1.2).
 */
export class RequestAuthenticator {
  readonly #touched = new Map<number, number>();

  constructor(private readonly options: RequestAuthenticatorOptions) {}

  /**
   * Returns the actor of a request, or null if the request has no token.
   *
   * @throws ApplicationError AUTHENTICATION_FAILED with the reason as message
   */
  async authenticateRequest({
    authorization,
    address,
    digest = digestAuthorizationHeader(authorization),
  }: RequestCredentials): Promise<InventoryActor | null> {
    const header = parseTokenHeader(authorization);
    if (header.scheme === 'none') return null;
    if (header.scheme === 'malformed') throw createAuthenticationError(authorizationHeaderErrorMessages[header.fault]);
    const record = await this.options.cache.getOrLoadActor(digest, async () => {
      const found = await this.#find(header);
      if (found !== null) await this.#renewDigest(found, header.secret);
      return found;
    });
    if (record === null) throw createAuthenticationError(`Invalid ${header.scheme} token`);
    const refusal = this.#refusalOf(record, address);
    if (refusal !== null) throw createAuthenticationError(refusal);
    return this.#use(record);
  }

  /**
   * Returns the actor of a request whose token is cached, without an SQL statement. Returns null if the token is not
   * cached or must not be used.
   *
   * @param digest digest of the `Authorization` header; see {@link digestAuthorizationHeader}
   * @param address IP address of the client
   */
  findCached(digest: string, address: string): InventoryActor | null {
    const record = this.options.cache.findActor(digest);
    return record === null || this.#refusalOf(record, address) !== null ? null : this.#use(record);
  }

  /** Returns the stored API token that the secret in the request belongs to, or null if no token matches. */
  async #find(header: PresentedApiToken): Promise<TokenWithUser | null> {
    const { store, pepper } = this.options;
    if (header.scheme === 'v1') return store.findByDigest(pepper.digestUnderAllPeppers(header.secret));
    const found = await store.findByKey(header.key);
    return found !== null && pepper.matchesDigest(header.secret, found) ? found : null;
  }

  /**
   * Stores a new digest of an API token's secret with the current pepper, if the stored digest uses an older pepper.
   */
  async #renewDigest(token: TokenWithUser, secret: string): Promise<void> {
    const { store, pepper, logger } = this.options;
    if (!pepper.isRenewable(token)) return;
    try {
      await store.renewDigest(token, pepper.digestUnderCurrentPepper(secret));
    } catch (err) {
      // The token is valid all the same, and its next use tries again.
      logger.warn({ err, tokenId: token.tokenId }, 'the digest of a token could not be renewed');
    }
  }

  /** Records the use of an API token, and returns the actor for the token's user. */
  #use(record: TokenWithUser): InventoryActor {
    this.#touch(record.tokenId);
    return {
      id: record.userId,
      kind: 'user',
      username: record.username,
      isSuperuser: record.isSuperuser,
      mayWrite: record.writeEnabled,
      permissions: record.permissions,
    };
  }

  /** Returns the reason why an API token must not be used; null if the token may be used. */
  #refusalOf(record: TokenWithUser, address: string): string | null {
    if (record.allowedIps.length > 0 && !isIpAddressWithinNetworks(address, record.allowedIps))
      return `Source IP ${address} is not permitted to authenticate using this token.`;
    if (!record.enabled) return 'Token disabled';
    if (record.expiresAt !== null && record.expiresAt <= this.options.clock.now()) return 'Token expired';
    return record.isActive ? null : 'User inactive';
  }

  /** Updates the time of an API token's last use, without waiting for the database. */
  #touch(tokenId: number): void {
    const now = this.options.clock.now();
    if (now - (this.#touched.get(tokenId) ?? 0) < tokenUseUpdateIntervalMs) return;
    if (this.#touched.size >= maxTokensWithTrackedUse) this.#touched.clear();
    this.#touched.set(tokenId, now);
    this.options.store.recordTokenUse(tokenId).catch((error: unknown) => {
      this.options.logger.warn({ err: error, tokenId }, 'the last use of a token could not be recorded');
    });
  }
}

function isIpAddressWithinNetworks(address: string, networks: readonly string[]): boolean {
  const list = new BlockList();
  for (const text of networks) {
    const network = parseIpNetwork(text);
    if (network !== null) list.addSubnet(network.address, network.length, network.family === 4 ? 'ipv4' : 'ipv6');
  }
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

function createAuthenticationError(message: string): Error {
  return inventoryErrors.create('AUTHENTICATION_FAILED', { message });
}

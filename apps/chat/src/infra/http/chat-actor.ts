import type { AuthenticatedAccount } from '@switchboard/auth';
import type { RateLimitRule } from '../rate-limits/index.js';
import type { ApiKeyScope } from './api-key-scopes.js';

/**
 * Numbers of the users' roles in the API (docs/contract/chat.md 6.1). A role with a smaller number has more
 * permissions.
 */
export const userRoleNumbers = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 } as const;

/** The account that performs a request in the chat service. */
export interface ChatActor extends AuthenticatedAccount {
  /** Id of the account's realm as text, the format that the event log uses. */
  readonly realm: string;
  readonly realmId: number;
  readonly kind: 'user' | 'bot';
  /** True if the account is an incoming-webhook bot, which can only send messages. */
  readonly isIncomingWebhook?: boolean;
  /** Number of the account's role, one of {@link userRoleNumbers}. */
  readonly role: number;
  /** Real email address of the account, in its stored letter case. */
  readonly deliveryEmail: string;
  /** Domain of placeholder email addresses in the account's realm. */
  readonly fakeEmailDomain: string;
  /**
   * Host name to which the request was sent; undefined outside of requests. Email addresses of this domain are also
   * treated as placeholder addresses (chat-4.6-1).
   */
  readonly host?: string;
  /**
   * Rate limits that the operator set for this account. The limits replace the default limits. Undefined without
   * account limits.
   */
  readonly rateLimits?: readonly RateLimitRule[] | undefined;
  /** Scopes of the API key of the request. Undefined for credentials without scopes, which may use all endpoints. */
  readonly scopes?: readonly ApiKeyScope[];
}

/** Returns true if the actor is an owner or an administrator of the realm. */
export function isOwnerOrAdministrator(actor: { readonly role: number }): boolean {
  return actor.role <= userRoleNumbers.administrator;
}

/** Returns true for guests, who see only channels to which they were added. */
export function isGuest(actor: { readonly role: number }): boolean {
  return actor.role === userRoleNumbers.guest;
}

import type { Actor } from '@switchboard/auth';
import type { RateLimitRule } from '../rate-limits/index.js';

/** Roles as numbers on the wire; a smaller number may do more (docs/contract/chat.md 6.1). */
export const role = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 } as const;

/** The account that performs a request in the chat service. */
export interface ChatActor extends Actor {
  /** The realm's id as text, as the event log names it. */
  readonly realm: string;
  readonly realmId: number;
  readonly kind: 'user' | 'bot';
  /** A bot that may send messages and do nothing else. */
  readonly isIncomingWebhook?: boolean;
  /** One of {@link role}. */
  readonly role: number;
  /** The real address, in the case it was stored with. */
  readonly deliveryEmail: string;
  /** Domain of placeholder email addresses. */
  readonly fakeEmailDomain: string;
  /** Host of the request, if any: addresses of this domain are placeholders too (chat-4.6-1). */
  readonly host?: string;
  /** Rate limits that the operator set for this account, instead of the general ones. */
  readonly rateLimits?: readonly RateLimitRule[] | undefined;
}

/** Owners and administrators. */
export function isAdmin(actor: { readonly role: number }): boolean {
  return actor.role <= role.administrator;
}

/** Guests see only what they were let into. */
export function isGuest(actor: { readonly role: number }): boolean {
  return actor.role === role.guest;
}

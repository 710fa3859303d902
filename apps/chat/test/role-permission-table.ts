/**
 * Names of the users who send the tested requests: one demo user for each role, and a bot with the role of a member.
 */
export const accounts = {
  owner: 'desdemona',
  administrator: 'iago',
  moderator: 'shiva',
  member: 'hamlet',
  guest: 'polonius',
  bot: 'default-bot',
} as const;

/** Role of a user who sends a tested request. */
export type Role = keyof typeof accounts;
/** All user roles for which the access to endpoints is tested. */
export const roles: readonly Role[] = ['owner', 'administrator', 'moderator', 'member', 'guest', 'bot'];

/** Expected error response of an endpoint to requests of a role. */
export interface Refusal {
  readonly code: string;
  readonly msg: string;
}

const notAdmin: Refusal = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' };
export const notOwner: Refusal = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization owner' };
export const notGuest: Refusal = { code: 'BAD_REQUEST', msg: 'Not allowed for guest users' };
export const notBot: Refusal = { code: 'BAD_REQUEST', msg: 'This endpoint does not accept bot requests.' };
export const notManager: Refusal = { code: 'CANNOT_ADMINISTER_CHANNEL', msg: 'You do not administer this channel.' };
export const insufficient: Refusal = { code: 'BAD_REQUEST', msg: 'Insufficient permission' };

/** An endpoint with the expected response to permitted roles, and the expected error responses to other roles. */
export interface Endpoint {
  readonly method: 'get' | 'put' | 'post' | 'patch' | 'delete';
  /** Path of the endpoint below /api/v1; `{group}` and `{bot}` are replaced by ids. */
  readonly path: string;
  readonly form?: Readonly<Record<string, string>>;
  /**
   * The `msg` of the response to permitted roles; empty for a success. If a success would change data that other tests
   * in the table use, the request names an object that does not exist.
   */
  readonly allowed: string;
  /**
   * Roles whose requests are tested; undefined for all roles. A role is omitted if the request of that role would
   * succeed and change data.
   */
  readonly asks?: readonly Role[];
  readonly refused?: Partial<Record<Role, Refusal>>;
}

export const admins = { moderator: notAdmin, member: notAdmin, guest: notAdmin, bot: notAdmin };
export const nobody = 'No such user';
export const noGroup = 'Invalid user group';
export const noBot = 'No such bot';
export const noApiKey = 'API key does not exist.';
export const noChannel = 'Invalid channel ID';
export const noWebhook = 'Event webhook does not exist.';
export const noMessage = 'Invalid message(s)';
export const others = (refusal: Refusal) => ({
  administrator: refusal,
  moderator: refusal,
  member: refusal,
  guest: notGuest,
  bot: refusal,
});

import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { loadActorRights } from '../../core/access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import { OutgoingMailWriter } from '../../infra/mail/index.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { createRateLimitError } from '../../core/access/admission.guard.js';
import { RateLimiter } from '../../infra/rate-limits/index.js';
import { checkEmailDomain } from '../realm-domains/index.js';
import { checkEmail, createEmailInUseError } from '../../core/users/index.js';
import type { ChatTransaction } from '../../infra/open-prisma.js';

/** Lifetime in hours of the link that confirms a new email address. */
const emailConfirmationLinkLifetimeHours = 24;

/** Sends an email with a confirmation link to the new email address that a user requested (chat-4.1-3). */
@Injectable()
export class RequestEmailChange {
  constructor(
    private readonly mails: OutgoingMailWriter,
    private readonly limiter: RateLimiter,
  ) {}

  /**
   * Counts a requested change of an email address for the rate limit, before the transaction of the change
   * (docs/contract/chat.md 1.7).
   *
   * @throws ApplicationError BAD_REQUEST, RATE_LIMIT_HIT
   */
  async countForRateLimit(actor: ChatActor, sent: string): Promise<void> {
    if (checkEmail(sent) === actor.deliveryEmail) return;
    const taken = await this.limiter.countRequestAgainstLimit('EMAIL_CHANGE_BY_USER', String(actor.id));
    if (taken !== null && taken.waitMs > 0) throw createRateLimitError(taken);
  }

  /**
   * Enqueues the email with the confirmation link in the caller's transaction. Earlier links of the user become
   * invalid.
   *
   * @param origin Scheme, host and port of the URL at which the client reached the server.
   * @throws ApplicationError BAD_REQUEST
   */
  async run(tx: ChatTransaction, actor: ChatActor, sent: string, origin: string): Promise<void> {
    const email = checkEmail(sent);
    if (email === actor.deliveryEmail) return;
    await validateNewEmailAddress(tx, actor, email);
    const token = randomBytes(20).toString('hex');
    await tx.query(
      `INSERT INTO email_changes (user_id, token_digest, new_email, expires_at)
       VALUES ($1, $2, $3, now() + make_interval(hours => $4))
       ON CONFLICT (user_id) DO UPDATE SET token_digest = excluded.token_digest, new_email = excluded.new_email,
         expires_at = excluded.expires_at`,
      [actor.id, digestEmailToken(token), email, emailConfirmationLinkLifetimeHours],
    );
    this.mails.enqueueMail(tx, {
      to: email,
      subject: 'Confirm your new address',
      text:
        `Somebody who has the address ${actor.deliveryEmail} wants to have this one instead.\n\n` +
        `If that is you, open this page within ${emailConfirmationLinkLifetimeHours} hours:\n` +
        `${origin}/accounts/confirm_new_email/${token}\n\n` +
        'Otherwise there is nothing that you need to do.\n',
    });
  }
}

/**
 * Checks a new email address of an account, both when the change is requested and when the change is confirmed.
 * @throws ApplicationError BAD_REQUEST
 */
export async function validateNewEmailAddress(
  tx: ChatTransaction,
  actor: Pick<ChatActor, 'id' | 'realmId' | 'kind'>,
  email: string,
): Promise<void> {
  if (actor.kind === 'bot') throw createBadRequestError('This endpoint does not accept bot requests.');
  const { rows } = await tx.query<{ pinned: boolean; taken: boolean }>(
    `SELECT coalesce((settings ->> 'email_changes_disabled')::boolean, false) AS pinned,
       EXISTS (SELECT 1 FROM users WHERE realm_id = $1 AND delivery_email_key = $2 AND id <> $3) AS taken
     FROM realms WHERE id = $1`,
    [actor.realmId, normalizeTextForComparison(email), actor.id],
  );
  if (rows[0]?.pinned === true && !(await loadActorRights(tx, actor)).isAdmin) {
    throw createBadRequestError('Email address changes are disabled in this organization.');
  }
  await checkEmailDomain(tx, actor.realmId, email);
  if (rows[0]?.taken === true) throw createEmailInUseError(email);
}

/** Returns the digest of the token in a confirmation link. The database stores only this digest. */
export function digestEmailToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

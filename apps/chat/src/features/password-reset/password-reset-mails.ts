import { randomBytes } from 'node:crypto';
import { defineOutboxMessage, type OutboxRowsDispatcher } from '@switchboard/queue';
import { z } from 'zod';
import type { UnencryptedMail } from '../../infra/mail/index.js';
import {
  resetLinkLifetimeHours,
  digestResetToken,
  type StoredResetLink,
  storeResetLinks,
} from './password-reset.repository.js';

const passwordResetPayloadSchema = z.strictObject({ realmId: z.int(), emailKey: z.string(), origin: z.string() });

type PasswordResetPayload = z.infer<typeof passwordResetPayloadSchema>;

/**
 * Outbox message type for a requested password reset link. An outbox row is written for every requested email address,
 * even if no account has the address.
 */
export const passwordResetOutboxMessageType = defineOutboxMessage({
  name: 'chat.password-reset',
  version: 1,
  payload: passwordResetPayloadSchema,
});

/**
 * Returns the outbox handler that creates requested password reset links and mails the links. Addresses without an
 * account are skipped.
 *
 * @param sendMails outbox handler of mails
 */
export function createPasswordResetDispatcher(
  sendMails: OutboxRowsDispatcher<UnencryptedMail>,
): OutboxRowsDispatcher<PasswordResetPayload> {
  return async (rows, tx) => {
    // Of several requests for one account in a batch, the last one counts.
    const byAccount = new Map(rows.map((row) => [`${row.payload.realmId} ${row.payload.emailKey}`, row]));
    const requests = [...byAccount.values()].map((row) => ({ row, token: randomBytes(20).toString('hex') }));
    const stored = await storeResetLinks(
      tx,
      requests.map(({ row: { payload }, token }) => ({ ...payload, tokenDigest: digestResetToken(token) })),
    );
    const byDigest = new Map(stored.map((reset) => [reset.tokenDigest, reset]));
    const mails = requests.flatMap(({ row, token }) => {
      const reset = byDigest.get(digestResetToken(token));
      return reset === undefined
        ? []
        : [{ ...row, payload: createResetMail(reset, `${row.payload.origin}${createResetLinkPath(token)}`) }];
    });
    return mails.length === 0 ? undefined : sendMails(mails, tx);
  };
}

function createResetLinkPath(token: string): string {
  return `/accounts/password/reset/${token}/`;
}

function createResetMail({ email, realm }: StoredResetLink, link: string): UnencryptedMail {
  return {
    to: email,
    subject: `A new password for ${realm}`,
    text:
      `A new password was requested for the account ${email} in ${realm}.\n\n` +
      `To set it, open this page within ${resetLinkLifetimeHours} hours. The link works once:\n${link}\n\n` +
      'If you have not asked for this, ignore this mail. Your password stays as it is.\n',
  };
}

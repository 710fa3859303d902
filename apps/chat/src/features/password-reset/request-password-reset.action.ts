import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import { type Outbox, transactionHandle } from '@switchboard/queue';
import { createRateLimitError } from '../../core/access/admission.guard.js';
import { checkEmail } from '../../core/users/index.js';
import { getLoginAttemptCounterKey, RateLimiter, type RateLimitResult } from '../../infra/rate-limits/index.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { DATABASE_TOKEN, OUTBOX_TOKEN } from '../../tokens.js';
import { passwordResetOutboxMessageType } from './password-reset-mails.js';

/**
 * Requests a password reset link. The request does the same work for every address, so that neither its response nor
 * its duration reveals which addresses have accounts. The server looks up the account after the transaction commits.
 */
@Injectable()
export class RequestPasswordReset {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(OUTBOX_TOKEN) private readonly outbox: Outbox,
    private readonly limiter: RateLimiter,
  ) {}

  /**
   * @param origin Scheme, host and port that the client used to reach the server.
   * @throws ApplicationError BAD_REQUEST for text that is no email address, RATE_LIMIT_HIT
   */
  async run(realmId: number, sent: string, { ip, origin }: { readonly ip: string; readonly origin: string }) {
    const emailKey = normalizeTextForComparison(checkEmail(sent));
    rejectExcessiveResetRequests(
      await this.limiter.countRequestAgainstLimit('EMAIL_BY_IP', getLoginAttemptCounterKey(ip)),
    );
    const subject = createHash('sha256').update(`${realmId} ${emailKey}`).digest('hex');
    rejectExcessiveResetRequests(await this.limiter.countRequestAgainstLimit('PASSWORD_RESET_BY_EMAIL', subject));
    await this.database.inTransaction(async (tx) => {
      this.outbox.add(transactionHandle(tx), passwordResetOutboxMessageType, { realmId, emailKey, origin });
    });
  }
}

function rejectExcessiveResetRequests(taken: RateLimitResult | null): void {
  if (taken !== null && taken.waitMs > 0) throw createRateLimitError(taken);
}

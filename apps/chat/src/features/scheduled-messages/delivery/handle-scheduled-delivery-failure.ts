import { isDeepStrictEqual } from 'node:util';
import type { Database } from '@switchboard/database';
import { ApplicationError } from '@switchboard/errors';
import type { Clock, Logger } from '@switchboard/platform';
import { lockRealmMembership } from '../../../core/database-locks.js';
import {
  lockAccounts,
  lockDueMessages,
  markMessageFailedSilently,
  postponeDeliveryAttempt,
} from './due-messages.repository.js';
import {
  markScheduledFailedAndNotify,
  type MarkFailedAndNotifyDependencies,
  realmDeactivatedFailureReason,
  unexpectedErrorFailureReason,
} from './mark-message-failed.js';
import type { PreparedScheduledMessage } from './prepare-scheduled-delivery.js';

export interface DeliveryFailureDependencies extends MarkFailedAndNotifyDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Maximum delay after which a scheduled message is no longer sent, in milliseconds. Reminders have no maximum delay.
 */
export const maxDeliveryDelayMs = 600_000;

/** Delay in milliseconds before the next attempt to send a scheduled message after an unexpected error. */
const getDeliveryRetryDelayMs = 10_000;

/**
 * Returns the user-visible text of an error that prevents the send of a scheduled message. Returns null for unexpected
 * errors.
 */
export function getUserVisibleErrorText(error: unknown): string | null {
  return error instanceof ApplicationError && error.status < 500 ? error.message : null;
}

/**
 * Marks a message as failed and notifies its author, in a separate transaction. If this is impossible, the message is
 * postponed, or marked as failed without a notification if it is too late. Never rejects.
 *
 * @param reason null after an unexpected error: the message is postponed, unless it is too late
 * @returns false if the database is unavailable
 */
export async function markFailedAndNotifyAuthor(
  parts: DeliveryFailureDependencies,
  prepared: PreparedScheduledMessage,
  reason: string | null,
): Promise<boolean> {
  const isLate = parts.clock.now() - prepared.due.deliverAtMs >= maxDeliveryDelayMs;
  const failure = reason ?? (isLate ? unexpectedErrorFailureReason : null);
  if (
    failure !== null &&
    (await runAndLogErrors(parts, prepared, () => markFailedOrPostpone(parts, prepared, failure)))
  )
    return true;
  return runAndLogErrors(parts, prepared, () =>
    markFailedWithoutNotification(parts, prepared, isLate ? (failure ?? unexpectedErrorFailureReason) : null),
  );
}

/** Runs a function and logs an error instead of throwing the error. Returns true if the function succeeded. */
async function runAndLogErrors(
  { logger }: DeliveryFailureDependencies,
  { due }: PreparedScheduledMessage,
  step: () => Promise<void>,
) {
  try {
    await step();
    return true;
  } catch (error) {
    logger.warn({ err: error, scheduledMessageId: due.id }, 'a failed scheduled message could not be settled');
    return false;
  }
}

/**
 * Marks a message as failed and notifies its author. While the organization is deactivated, the stored reason says so,
 * because its reactivation schedules a new attempt. If the organization was reactivated since the message was refused,
 * the message remains due.
 */
function markFailedOrPostpone(
  parts: DeliveryFailureDependencies,
  prepared: PreparedScheduledMessage,
  reason: string,
): Promise<void> {
  const { id, userId } = prepared.due;
  return parts.database.inTransaction(async (tx) => {
    // A concurrent reactivation finds the message as failed, or the state that is read below is the new one.
    await lockRealmMembership(tx, prepared.realmId, 'shared');
    const due = (await lockDueMessages(tx, [id], new Date(parts.clock.now()))).get(id);
    if (!isDeepStrictEqual(due, prepared.due)) return;
    const author = (await lockAccounts(tx, [userId])).get(userId);
    if (author === undefined || (reason === realmDeactivatedFailureReason && !author.realmDeactivated)) return;
    const failure = author.realmDeactivated ? realmDeactivatedFailureReason : reason;
    await markScheduledFailedAndNotify(tx, parts, author, prepared, failure);
  });
}

/**
 * Marks a scheduled message as failed without notifying the author. Postpones the message instead if `reason` is null.
 */
function markFailedWithoutNotification(
  { database, clock }: DeliveryFailureDependencies,
  { due }: PreparedScheduledMessage,
  reason: string | null,
) {
  const now = clock.now();
  return database.inTransaction(async (tx) => {
    if (!(await lockDueMessages(tx, [due.id], new Date(now))).has(due.id)) return;
    if (reason === null) await postponeDeliveryAttempt(tx, due.id, new Date(now + getDeliveryRetryDelayMs));
    else await markMessageFailedSilently(tx, due.id, reason);
  });
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { CredentialCache } from '@switchboard/auth';
import { EventLogUnavailableError, type EventLog } from '@switchboard/queue';
import { CREDENTIALS, EVENT_LOG } from '../../tokens.js';
import type { CredentialOwner } from './credential-owner.js';

/** Number of accounts that are invalidated before other work of the process continues. */
const ACCOUNTS_PER_SLICE = 500;

/**
 * Revokes cached credentials and event queues after the commit of a change to an account. If the process dies before,
 * cached credentials expire within seconds, and the queues end because {@link ChatEvents.endQueues} was called in the
 * transaction.
 */
@Injectable()
export class AccessRevocation {
  constructor(
    @Inject(CREDENTIALS) private readonly credentials: CredentialCache<CredentialOwner>,
    @Inject(EVENT_LOG) private readonly log: EventLog,
  ) {}

  /** Invalidates these accounts in the caches of all processes, after a change of role, state or API key. */
  async refresh(userIds: readonly number[]): Promise<void> {
    const sent: Promise<void>[] = [];
    for (let at = 0; at < userIds.length; at += ACCOUNTS_PER_SLICE) {
      if (at > 0) await nextTurn();
      sent.push(...userIds.slice(at, at + ACCOUNTS_PER_SLICE).map((id) => this.credentials.invalidate(`user:${id}`)));
    }
    await Promise.all(sent);
  }

  /**
   * Invalidates these accounts as {@link refresh} does, and removes their event queues, so that their clients register
   * again.
   */
  async endQueues(realm: string, userIds: readonly number[]): Promise<void> {
    await this.refresh(userIds);
    try {
      await this.log.removeOwned(realm, userIds.map(String));
    } catch (error) {
      // Without Redis no queue can be polled; the change itself is committed and must not look failed.
      if (!(error instanceof EventLogUnavailableError)) throw error;
    }
  }
}

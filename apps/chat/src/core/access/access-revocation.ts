import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { CredentialCache } from '@switchboard/auth';
import { EventLogUnavailableError, type EventLog } from '@switchboard/queue';
import { CREDENTIALS_TOKEN, EVENT_LOG_TOKEN } from '../../tokens.js';
import { getApiKeyCacheTag } from './authenticator.js';
import type { CredentialOwner } from './credential-owner.js';

/** Number of accounts whose credentials are invalidated before the event loop may run other work. */
const ACCOUNTS_INVALIDATED_BETWEEN_PAUSES = 500;

/**
 * Revokes the cached credentials and the event queues of accounts after the commit of a change. If the process crashes
 * between the commit and the revocation, cached credentials expire within seconds. The event queues still end, because
 * {@link ChatEventWriter.endEventQueuesOfAccounts} was called in the transaction.
 */
@Injectable()
export class AccessRevocation {
  constructor(
    @Inject(CREDENTIALS_TOKEN) private readonly credentials: CredentialCache<CredentialOwner>,
    @Inject(EVENT_LOG_TOKEN) private readonly log: EventLog,
  ) {}

  /**
   * Invalidates the cached credentials of the given accounts in all processes. Called after a change of the accounts'
   * role, state or API key.
   */
  async invalidateCredentials(userIds: readonly number[]): Promise<void> {
    const sent: Promise<void>[] = [];
    for (let at = 0; at < userIds.length; at += ACCOUNTS_INVALIDATED_BETWEEN_PAUSES) {
      if (at > 0) await nextTurn();
      sent.push(
        ...userIds
          .slice(at, at + ACCOUNTS_INVALIDATED_BETWEEN_PAUSES)
          .map((id) => this.credentials.evictByTag(`user:${id}`)),
      );
    }
    await Promise.all(sent);
  }

  /**
   * Invalidates a scoped API key in all processes after the key's row was deleted. Pending event polls that use the key
   * also end.
   */
  async invalidateDeletedApiKey(keyId: number): Promise<void> {
    await this.credentials.evictByTag(getApiKeyCacheTag(keyId));
  }

  /**
   * Invalidates the cached credentials of accounts with {@link invalidateCredentials}. Also removes the event queues of
   * the accounts, so that their clients register again.
   */
  async endQueuesOfAccounts(realm: string, userIds: readonly number[]): Promise<void> {
    await this.invalidateCredentials(userIds);
    await this.#removeQueues(realm, userIds);
  }

  /** Invalidates the cached credentials of all accounts of a realm, and removes the event queues of these accounts. */
  async endRealmAccess(realm: string, userIds: readonly number[]): Promise<void> {
    await this.credentials.evictByTag(`realm:${realm}`);
    await this.#removeQueues(realm, userIds);
  }

  async #removeQueues(realm: string, userIds: readonly number[]): Promise<void> {
    try {
      await this.log.removeOwned(realm, userIds.map(String));
    } catch (error) {
      // Without Redis no queue can be polled; the change itself is committed and must not look failed.
      if (!(error instanceof EventLogUnavailableError)) throw error;
    }
  }
}

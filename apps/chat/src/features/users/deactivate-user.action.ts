import { Inject, Injectable } from '@nestjs/common';
import type { Outbox } from '@switchboard/queue';
import { AccessRevocation } from '../../core/access/access-revocation.js';
import { type ChatActor, userRoleNumbers } from '../../infra/http/chat-actor.js';
import { loadActorRights, rejectBots, requireAdmin, requireOwner } from '../../core/access/actor-rights.js';
import { chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { OutgoingMailWriter } from '../../infra/mail/index.js';
import { StoredFileDeletionSchedule } from '../../infra/storage/index.js';
import { DATABASE_TOKEN, OUTBOX_TOKEN } from '../../tokens.js';
import { replaceAddressInOldInvitations } from '../invitations/index.js';
import { AccountUpdater } from './account-change-operations.js';
import type { deactivateUserParameters } from './accounts.schemas.js';
import { scheduleMessageDeletion } from '../message-retention/index.js';
import { removeProfileData } from './remove-profile-data.js';
import { deactivateAccounts } from './account-activation.js';
import { deleteProfile, enqueueDeactivationEmail } from './write-deactivation-email.js';
import {
  lockUserForChange,
  countActiveRealmOwners,
  listActiveBotsOfOwner,
  createNoSuchUserError,
  type UserRecord,
} from '../../core/users/index.js';
import type { ChatDatabaseWithPrisma, ChatTransaction } from '../../infra/open-prisma.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/** Deactivates accounts (docs/contract/chat.md 6.5). Bots that a user owns are deactivated with the user. */
@Injectable()
export class DeactivateUser {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    @Inject(OUTBOX_TOKEN) private readonly outbox: Outbox,
    private readonly mails: OutgoingMailWriter,
    private readonly events: ChatEventWriter,
    private readonly revocation: AccessRevocation,
    private readonly files: StoredFileDeletionSchedule,
    private readonly changes: AccountUpdater,
  ) {}

  /**
   * Deactivates a user at the request of an administrator. Does nothing if the user is already deactivated. A comment,
   * even an empty comment, is emailed to the user. The profile and messages are deleted if requested. A job deletes the
   * messages after the response.
   * @throws ApplicationError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL, CANNOT_DEACTIVATE_LAST_USER
   */
  run(
    actor: ChatActor,
    userId: number,
    parameters: DecodedParametersOfDefinition<typeof deactivateUserParameters> = {},
  ): Promise<void> {
    const access = async (tx: ChatTransaction): Promise<UserRecord> => {
      const rights = await loadActorRights(tx, actor);
      requireAdmin(rights);
      const target = await lockUserForChange(tx, actor, userId);
      // Bots have an endpoint of their own, which their owners may use.
      if (target.isBot) throw createNoSuchUserError();
      if (target.role === userRoleNumbers.owner) requireOwner(rights);
      return target;
    };
    return this.#deactivate(actor, access, async (tx, target) => {
      const { deactivation_notification_comment: comment, actions } = parameters;
      if (comment !== undefined) await enqueueDeactivationEmail(this.mails, tx, actor, target, comment);
      await scheduleMessageDeletion(this.outbox, tx, target.id, {
        publicChannels: actions?.delete_public_channel_messages === true,
        privateChannels: actions?.delete_private_channel_messages === true,
        direct: actions?.delete_direct_messages === true,
      });
      return actions?.delete_profile === true ? this.#deleteProfile(tx, actor, target) : [];
    });
  }

  /**
   * Deactivates the actor's own account. Bots cannot deactivate themselves.
   *
   * @throws ApplicationError BAD_REQUEST, CANNOT_DEACTIVATE_LAST_USER
   */
  async deactivateOwnAccount(actor: ChatActor): Promise<void> {
    rejectBots(actor);
    return this.#deactivate(actor, (tx) => lockUserForChange(tx, actor, actor.id));
  }

  /**
   * Deletes the profile of a deactivated account. The email address is replaced first, so that no event contains the
   * Gravatar URL of the real address.
   */
  async #deleteProfile(tx: ChatTransaction, actor: ChatActor, target: UserRecord): Promise<string[]> {
    const deliveryEmail = `deleteduser${target.id}@${actor.fakeEmailDomain}`;
    await this.changes.storeNewEmailAddress(tx, actor.realmId, target, deliveryEmail);
    const nameless = { ...target, deliveryEmail };
    const unused = await removeProfileData({ events: this.events, files: this.files }, tx, actor.realmId, nameless);
    await replaceAddressInOldInvitations(tx, actor.realmId, target.deliveryEmail, deliveryEmail);
    await deleteProfile(this.events, tx, actor.realmId, target.id);
    return unused;
  }

  async #deactivate(
    actor: ChatActor,
    access: (tx: ChatTransaction) => Promise<UserRecord>,
    then: (tx: ChatTransaction, target: UserRecord) => Promise<string[]> = async () => [],
  ): Promise<void> {
    const { ended, unused } = await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'exclusive');
      const target = await access(tx);
      if (!target.isActive) return { ended: [], unused: [] };
      if (target.role === userRoleNumbers.owner && !target.isBot) await requireAnotherRealmOwner(tx, actor.realmId);
      const accounts = [target, ...(await listActiveBotsOfOwner(tx, actor.realmId, target.id))];
      await deactivateAccounts(this.events, tx, actor.realmId, accounts);
      return { ended: accounts.map(({ id }) => id), unused: await then(tx, target) };
    });
    await this.revocation.endQueuesOfAccounts(actor.realm, ended);
    await this.files.deleteNow(unused);
  }
}

async function requireAnotherRealmOwner(tx: ChatTransaction, realmId: number): Promise<void> {
  if ((await countActiveRealmOwners(tx, realmId)) > 1) return;
  const entity = 'organization owner';
  throw chatErrors.create('CANNOT_DEACTIVATE_LAST_USER', {
    params: { entity },
    fields: { is_last_owner: true, entity },
  });
}

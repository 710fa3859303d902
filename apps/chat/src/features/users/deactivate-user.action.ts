import { Inject, Injectable } from '@nestjs/common';
import type { Outbox } from '@switchboard/queue';
import { AccessRevocation } from '../../core/access/access-revocation.js';
import { type ChatActor, roleNumbers } from '../../infra/http/chat-actor.js';
import { toActorRights, rejectBots, requireAdmin, requireOwner } from '../../core/access/actor-rights.js';
import { chatErrors } from '../../errors.js';
import { ChatEvents } from '../../events/chat-events.js';
import type { ParametersOf } from '../../infra/http/parameter-decorators.js';
import { MailWriter } from '../../infra/mail/index.js';
import { StoredFileLedger } from '../../infra/storage/index.js';
import { DATABASE, OUTBOX } from '../../tokens.js';
import { deleteInvitedAddress } from '../invitations/index.js';
import { AccountChanges } from './account-change-operations.js';
import type { deactivateUserParameters } from './accounts.schemas.js';
import { scheduleMessageDeletion } from '../message-retention/index.js';
import { removeProfileData } from './remove-profile-data.js';
import { deactivateAccounts } from './account-activation.js';
import { deleteProfile, writeDeactivationMail } from './write-deactivation-email.js';
import {
  lockUserForChange,
  countOwners,
  listActiveBotsOfOwner,
  noSuchUserError,
  type UserRecord,
} from '../../core/users/index.js';
import type { ChatDatabase, ChatTx } from '../../infra/open-prisma.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/** Deactivates accounts (docs/contract/chat.md 6.5). Bots that a user owns are deactivated with the user. */
@Injectable()
export class DeactivateUser {
  constructor(
    @Inject(DATABASE) private readonly database: ChatDatabase,
    @Inject(OUTBOX) private readonly outbox: Outbox,
    private readonly mails: MailWriter,
    private readonly events: ChatEvents,
    private readonly revocation: AccessRevocation,
    private readonly files: StoredFileLedger,
    private readonly changes: AccountChanges,
  ) {}

  /**
   * Deactivates a user at the request of an administrator. Does nothing if the user is already deactivated. A comment,
   * even an empty comment, is emailed to the user. The profile and messages are deleted if requested. A job deletes the
   * messages after the response.
   * @throws AppError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL, CANNOT_DEACTIVATE_LAST_USER
   */
  run(actor: ChatActor, userId: number, parameters: ParametersOf<typeof deactivateUserParameters> = {}): Promise<void> {
    const access = async (tx: ChatTx): Promise<UserRecord> => {
      const rights = await toActorRights(tx, actor);
      requireAdmin(rights);
      const target = await lockUserForChange(tx, actor, userId);
      // Bots have an endpoint of their own, which their owners may use.
      if (target.isBot) throw noSuchUserError();
      if (target.role === roleNumbers.owner) requireOwner(rights);
      return target;
    };
    return this.#deactivate(actor, access, async (tx, target) => {
      const { deactivation_notification_comment: comment, actions } = parameters;
      if (comment !== undefined) await writeDeactivationMail(this.mails, tx, actor, target, comment);
      await scheduleMessageDeletion(this.outbox, tx, target.id, {
        publicChannels: actions?.delete_public_channel_messages === true,
        privateChannels: actions?.delete_private_channel_messages === true,
        direct: actions?.delete_direct_messages === true,
      });
      return actions?.delete_profile === true ? this.#deleteProfile(tx, actor, target) : [];
    });
  }

  /**
   * Deactivates the actor's own account. Bots cannot deactivate themselves. @throws AppError BAD_REQUEST,
   * CANNOT_DEACTIVATE_LAST_USER
   */
  async runOwn(actor: ChatActor): Promise<void> {
    rejectBots(actor);
    return this.#deactivate(actor, (tx) => lockUserForChange(tx, actor, actor.id));
  }

  /**
   * Deletes the profile of a deactivated account. The email address is replaced first, so that no event contains the
   * Gravatar URL of the real address.
   */
  async #deleteProfile(tx: ChatTx, actor: ChatActor, target: UserRecord): Promise<string[]> {
    const deliveryEmail = `deleteduser${target.id}@${actor.fakeEmailDomain}`;
    await this.changes.setEmail(tx, actor.realmId, target, deliveryEmail);
    const nameless = { ...target, deliveryEmail };
    const unused = await removeProfileData({ events: this.events, files: this.files }, tx, actor.realmId, nameless);
    await deleteInvitedAddress(tx, actor.realmId, target.deliveryEmail, deliveryEmail);
    await deleteProfile(this.events, tx, actor.realmId, target.id);
    return unused;
  }

  async #deactivate(
    actor: ChatActor,
    access: (tx: ChatTx) => Promise<UserRecord>,
    then: (tx: ChatTx, target: UserRecord) => Promise<string[]> = async () => [],
  ): Promise<void> {
    const { ended, unused } = await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'exclusive');
      const target = await access(tx);
      if (!target.isActive) return { ended: [], unused: [] };
      if (target.role === roleNumbers.owner && !target.isBot) await requireRemainingOwner(tx, actor.realmId);
      const accounts = [target, ...(await listActiveBotsOfOwner(tx, actor.realmId, target.id))];
      await deactivateAccounts(this.events, tx, actor.realmId, accounts);
      return { ended: accounts.map(({ id }) => id), unused: await then(tx, target) };
    });
    await this.revocation.endQueuesOfAccounts(actor.realm, ended);
    await this.files.deleteNow(unused);
  }
}

async function requireRemainingOwner(tx: ChatTx, realmId: number): Promise<void> {
  if ((await countOwners(tx, realmId)) > 1) return;
  const entity = 'organization owner';
  throw chatErrors.create('CANNOT_DEACTIVATE_LAST_USER', {
    params: { entity },
    fields: { is_last_owner: true, entity },
  });
}

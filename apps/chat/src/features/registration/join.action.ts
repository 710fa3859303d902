import { Inject, Injectable } from '@nestjs/common';
import { hashPassword } from '@switchboard/auth';
import { convertErrorToDatabaseFault } from '@switchboard/errors';
import { ApiKeyStore } from '../../core/access/api-keys.js';
import { chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import { OutgoingMailWriter } from '../../infra/mail/index.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import {
  checkPasswordAgainstServerLimits,
  subscribeAccountToDefaultChannels,
  WelcomeMessageSender,
  emitNewAccountEvents,
} from '../users/index.js';
import type { AccountWithVerifiedPassword } from '../authentication/index.js';
import { addSubscriptions } from '../../core/channels/index.js';
import {
  createInvitationLink,
  createInvitationToken,
  emitInvitesChanged,
  digestInvitationToken,
} from '../invitations/index.js';
import { checkEmailDomain } from '../realm-domains/index.js';
import type { RealmIdentity } from '../../core/realms/index.js';
import {
  addUser,
  checkEmail,
  checkFullName,
  checkUserNameIsUnique,
  createEmailInUseError,
} from '../../core/users/index.js';
import {
  addVisitorInvitation,
  findOpenInvitation,
  listDefaultGroupChannelIds,
  addAccountToInvitedGroups,
  listDefaultChannelGroupNames,
  listInvitedChannels,
  markInvitationAccepted,
  type OpenInvitation,
} from './registration.repository.js';
import type { ChatDatabaseWithPrisma, ChatTransaction } from '../../infra/open-prisma.js';
import { userRoleNumbers } from '../../infra/http/chat-actor.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/** Creates the accounts of invited users (docs/contract/chat.md 2.H and 6.5). */
@Injectable()
export class CreateInvitedAccount {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    private readonly mails: OutgoingMailWriter,
    private readonly apiKeys: ApiKeyStore,
    private readonly events: ChatEventWriter,
    private readonly welcome: WelcomeMessageSender,
  ) {}

  /**
   * Returns the invitation to which a link belongs.
   *
   * @throws ApplicationError NOT_FOUND for a link that is unknown or no longer valid
   */
  async findInvitation(realm: RealmIdentity, token: string): Promise<OpenInvitation> {
    return requireInvitation(await findOpenInvitation(this.database, realm.id, digestInvitationToken(token)));
  }

  /**
   * Lists the names of the default channel groups from which an invited user may choose. The list is empty for guests.
   */
  async listChannelGroups(realm: RealmIdentity, { invitedAs }: OpenInvitation): Promise<string[]> {
    return invitedAs === userRoleNumbers.guest ? [] : listDefaultChannelGroupNames(this.database, realm.id);
  }

  /**
   * Emails an invitation link to a visitor of a reusable link. The emailed link can be used once, and proves that the
   * visitor owns the email address.
   *
   * @throws ApplicationError NOT_FOUND, BAD_REQUEST
   */
  async emailVisitorLink(realm: RealmIdentity, token: string, origin: string, address: string): Promise<void> {
    const email = checkEmail(address);
    await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, realm.id, 'shared');
      const link = requireInvitation(await findOpenInvitation(tx, realm.id, digestInvitationToken(token), true));
      await checkEmailDomain(tx, realm.id, email);
      const own = createInvitationToken(this.apiKeys, link.inviterId);
      await addVisitorInvitation(tx, link.id, { email, digest: own.digest, sealed: own.sealed });
      this.mails.enqueueMail(tx, {
        to: email,
        subject: `Join ${realm.name}`,
        text: `To make your account in ${realm.name}, open this page within a day:\n${createInvitationLink(origin, own.token)}\n`,
      });
    });
  }

  /**
   * Creates the account of an invited user.
   *
   * @returns the new account, for which a session can be created
   * @throws ApplicationError NOT_FOUND, BAD_REQUEST
   */
  async createAccount(
    realm: RealmIdentity,
    token: string,
    given: { readonly fullName: string; readonly password: string; readonly channelGroup: string },
  ): Promise<AccountWithVerifiedPassword> {
    const fullName = checkFullName(given.fullName);
    // The invitation is checked before the costly hashing of the password.
    const { email } = await this.findInvitation(realm, token);
    const passwordHash = await hashPassword(checkPasswordAgainstServerLimits(given.password));
    const clientId = await this.welcome.createClientOfWelcomeMessages();
    try {
      const userId = await this.database.inTransaction((tx) =>
        this.#accept(tx, realm.id, digestInvitationToken(token), {
          fullName,
          passwordHash,
          clientId,
          channelGroup: given.channelGroup,
        }),
      );
      return { userId, passwordHash };
    } catch (error) {
      if (convertErrorToDatabaseFault(error)?.kind === 'unique') throw createEmailInUseError(email ?? '');
      throw error;
    }
  }

  async #accept(
    tx: ChatTransaction,
    realmId: number,
    digest: string,
    account: {
      readonly fullName: string;
      readonly passwordHash: string;
      readonly clientId: number;
      readonly channelGroup: string;
    },
  ): Promise<number> {
    const { fullName, passwordHash, clientId } = account;
    await lockRealmMembership(tx, realmId, 'exclusive');
    const invitation = requireInvitation(await findOpenInvitation(tx, realmId, digest, true));
    const { email, inviterId } = invitation;
    if (email === null) throw createNoSuchLinkError();
    await checkEmailDomain(tx, realmId, email);
    await checkUserNameIsUnique(tx, realmId, fullName, 0);
    const { invitedAs } = invitation;
    const id = await addUser(tx, this.apiKeys, { realmId, email, fullName, role: invitedAs, passwordHash });
    const chosen = invitedAs === userRoleNumbers.guest ? '' : account.channelGroup;
    const wanted = [...invitation.channelIds, ...(await listDefaultGroupChannelIds(tx, realmId, chosen))];
    const channelIds = await listInvitedChannels(tx, realmId, wanted);
    await addSubscriptions(
      tx,
      channelIds.map((channelId) => ({ userId: id, channelId })),
    );
    if (invitation.includesDefaultChannels) await subscribeAccountToDefaultChannels(tx, realmId, id);
    await addAccountToInvitedGroups(tx, realmId, id, invitation.groupIds);
    const inviterIds = await markInvitationAccepted(tx, realmId, invitation.id, email);
    await emitNewAccountEvents(this.events, tx, realmId, id);
    const own = { realm: String(realmId), id, kind: 'user' };
    chatAudit.add(tx, 'user_created', {
      id,
      actor: own,
      role: invitedAs,
      method: 'invitation',
      groups: invitation.groupIds,
    });
    await emitInvitesChanged(this.events, tx, realmId, inviterIds);
    await this.welcome.sendWelcomeMessage(tx, realmId, id, clientId, invitation.welcomeText);
    if (invitation.notifiesInviter)
      await this.welcome.notifyInviterOfNewUser(tx, realmId, { inviterId, userId: id, fullName }, clientId);
    return id;
  }
}

function requireInvitation(invitation: OpenInvitation | null): OpenInvitation {
  if (invitation === null) throw createNoSuchLinkError();
  return invitation;
}

function createNoSuchLinkError(): Error {
  return chatErrors.create('NOT_FOUND', { message: 'This invitation is not valid, or not any more.' });
}

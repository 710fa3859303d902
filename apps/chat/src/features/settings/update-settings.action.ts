import { Inject, Injectable } from '@nestjs/common';
import { AccessRevocation } from '../../core/access/access-revocation.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { loadActorRights, requireAdmin } from '../../core/access/actor-rights.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { AccountUpdater } from '../users/index.js';
import { RequestEmailChange } from '../email-change/index.js';
import { lockUser } from '../../core/users/index.js';
import { ChangePassword } from './change-password.js';
import { getRequestedSettings } from './parse-setting-values.js';
import { UserSettingsChanger, hasSettingShownToOthers } from './apply-setting-changes.js';
import { listActiveGroupMembers, lockAccountsForSettingsChange, type SettingsOwner } from './settings.repository.js';
import type { TargetUsers, updateSettingsParameters } from './settings.schemas.js';
import { checkTimezone } from './check-timezone.js';
import type { ChatDatabaseWithPrisma, ChatTransaction } from '../../infra/open-prisma.js';
import { lockRealmMembership } from '../../core/database-locks.js';

type UpdateSettingsParameters = DecodedParametersOfDefinition<typeof updateSettingsParameters>;

/** Names of request parameters that change only the actor's own account, not the settings of other users. */
const selfOnlySettings = [
  'full_name',
  'email',
  'old_password',
  'new_password',
  'email_address_visibility',
  'enable_digest_emails',
  'enable_login_emails',
  'enable_marketing_emails',
  'presence_enabled',
  'send_private_typing_notifications',
  'send_stream_typing_notifications',
  'send_read_receipts',
  'allow_private_data_export',
] as const;

/** Changes settings of the actor or of other users (chat-4.1). Either all requested changes are applied or none. */
@Injectable()
export class UpdateSettings {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    private readonly accounts: AccountUpdater,
    private readonly passwords: ChangePassword,
    private readonly changes: UserSettingsChanger,
    private readonly emails: RequestEmailChange,
    private readonly revocation: AccessRevocation,
  ) {}

  /**
   * Changes the user settings that the request contains.
   *
   * @throws ApplicationError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL
   */
  async run(actor: ChatActor, parameters: UpdateSettingsParameters, origin: string): Promise<void> {
    const { target_users: target, timezone } = parameters;
    if (timezone !== undefined) checkTimezone(timezone);
    if (target === undefined) await this.#updateOwn(actor, parameters, origin);
    else await this.#updateOthers(actor, target, parameters);
  }

  async #updateOwn(actor: ChatActor, parameters: UpdateSettingsParameters, origin: string): Promise<void> {
    const values = getRequestedSettings(parameters);
    if (parameters.email !== undefined) await this.emails.countForRateLimit(actor, parameters.email);
    // Hashing is slow by design, and therefore done before the transaction.
    const password = await this.passwords.checkAndHashPasswords(actor, parameters);
    await this.database.inTransaction(async (tx) => {
      if (parameters.full_name !== undefined) await lockRealmMembership(tx, actor.realmId, 'exclusive');
      else if (hasSettingShownToOthers(values)) await lockRealmMembership(tx, actor.realmId, 'shared');
      const owners = await lockAccountsForSettingsChange(tx, actor.realmId, [actor.id], { activeOnly: true });
      if (owners.length === 0) throw chatErrors.create('USER_DEACTIVATED');
      if (password !== null) await this.passwords.storePasswordHash(tx, actor, password);
      await this.#rename(tx, actor, parameters.full_name);
      if (parameters.email !== undefined) await this.emails.run(tx, actor, parameters.email, origin);
      await this.changes.changeSettingsAndEmitEvents(tx, actor.realmId, owners, values, {
        byOwner: true,
        skipsEdited: false,
      });
    });
    if (password !== null) await this.revocation.invalidateCredentials([actor.id]);
  }

  async #rename(tx: ChatTransaction, actor: ChatActor, fullName: string | undefined): Promise<void> {
    if (fullName === undefined) return;
    const user = await lockUser(tx, actor.realmId, actor.id);
    if (user === null) throw chatErrors.create('USER_DEACTIVATED');
    if (fullName.trim() === user.fullName) return;
    if (!(await loadActorRights(tx, actor)).isAdmin && (await areNameChangesDisabled(tx, actor.realmId))) {
      throw createBadRequestError('Name changes are disabled in this organization.');
    }
    await this.accounts.changeFullName(tx, actor, user, fullName);
  }

  async #updateOthers(actor: ChatActor, target: TargetUsers, parameters: UpdateSettingsParameters): Promise<void> {
    const values = getRequestedSettings(parameters);
    await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'shared');
      requireAdmin(await loadActorRights(tx, actor));
      rejectSelfOnlySettings(parameters);
      const owners = await lockSettingsTargetAccounts(tx, actor.realmId, target);
      const options = { byOwner: false, skipsEdited: target.skip_if_already_edited === true };
      await this.changes.changeSettingsAndEmitEvents(tx, actor.realmId, owners, values, options);
    });
  }
}

function rejectSelfOnlySettings(parameters: Readonly<Record<string, unknown>>): void {
  const own = selfOnlySettings.filter((name) => parameters[name] !== undefined);
  if (own.length === 0) return;
  throw createBadRequestError(`Unsupported parameter combination: ${[...own, 'target_users'].join(', ')}`);
}

/**
 * Locks and returns the accounts whose settings change: the named users, and active members of the named groups. Named
 * users may be deactivated. Settings of a deactivated user apply after the reactivation.
 */
async function lockSettingsTargetAccounts(
  tx: ChatTransaction,
  realmId: number,
  target: TargetUsers,
): Promise<SettingsOwner[]> {
  const { user_ids: userIds = [], group_ids: groupIds = [] } = target;
  const members = groupIds.length === 0 ? [] : await listActiveGroupMembers(tx, realmId, groupIds);
  if (members === null) throw createBadRequestError('Invalid user group');
  const owners = await lockAccountsForSettingsChange(tx, realmId, [...new Set([...userIds, ...members])], {
    activeOnly: false,
  });
  const found = new Set(owners.map(({ id }) => id));
  const unknown = userIds.find((id) => !found.has(id));
  if (unknown !== undefined) throw createBadRequestError(`Invalid user ID ${unknown}`);
  return owners;
}

async function areNameChangesDisabled(tx: ChatTransaction, realmId: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    `SELECT 1 FROM realms WHERE id = $1 AND (settings ->> 'name_changes_disabled')::boolean`,
    [realmId],
  );
  return rowCount > 0;
}

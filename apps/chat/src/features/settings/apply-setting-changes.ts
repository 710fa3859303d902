import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { ChatEventWriter } from '../../events/chat-events.js';
import { CLOCK_TOKEN } from '../../tokens.js';
import { draftsRemoveEvent, removeAllDrafts } from '../drafts/index.js';
import { emitExportConsents } from '../realm-export/index.js';
import { listPresencesToEmit, presenceEvent, recordPresences } from '../presence/index.js';
import { reactivateUsersForChannelNotifications } from '../../core/soft-deactivation/index.js';
import {
  getAudiencesOfUserEvents,
  emailVisibilityEvent,
  realmUserUpdateEvent,
  type UserEventAudience,
  userStatusEvent,
} from '../../core/users/index.js';
import { getNativeLanguageName } from './supported-languages.js';
import type { StoredUserSettingValues } from './parse-setting-values.js';
import { userSettingsEvent } from './settings.events.js';
import { type ChangedSetting, changeUserSettings, type SettingsOwner } from './settings.repository.js';

/**
 * Names of user settings whose changes are emitted to other users. A change of these settings requires a lock on the
 * realm membership.
 */
const userSettingsShownToOthers: readonly string[] = ['email_address_visibility', 'presence_enabled', 'timezone'];

/**
 * Name of the user setting that allows the export of private data. Changes of this setting are emitted to
 * administrators.
 */
const exportConsentSettingName = 'allow_private_data_export';

/** Returns true if the values contain a user setting whose changes are emitted to other users. */
export function hasSettingShownToOthers(values: StoredUserSettingValues): boolean {
  return exportConsentSettingName in values || userSettingsShownToOthers.some((name) => name in values);
}

/**
 * Changes user settings, and emits events about the changes and about the effects of the changes (docs/contract/chat.md
 * 2.G).
 */
@Injectable()
export class UserSettingsChanger {
  constructor(
    private readonly events: ChatEventWriter,
    @Inject(CLOCK_TOKEN) private readonly clock: Clock,
  ) {}

  /**
   * Changes user settings of locked accounts. If {@link hasSettingShownToOthers} is true, the caller must also have
   * locked the realm membership.
   *
   * @param options See {@link changeUserSettings}.
   */
  async changeSettingsAndEmitEvents(
    tx: Tx,
    realmId: number,
    owners: readonly SettingsOwner[],
    values: StoredUserSettingValues,
    options: { readonly byOwner: boolean; readonly skipsEdited: boolean },
  ): Promise<void> {
    if (Object.keys(values).length === 0) return;
    const userIds = owners.map(({ id }) => id);
    const changed = await changeUserSettings(tx, userIds, values, options);
    for (const change of changed) this.#notifyOwners(tx, realmId, change);
    for (const { property, value, userIds: askingIds } of changed) {
      await reactivateUsersForChannelNotifications(tx, property, value, askingIds);
    }
    for (const change of changed) {
      if (change.property === 'enable_drafts_synchronization' && change.value === false) {
        await this.#removeDrafts(tx, realmId, change.userIds);
      }
      if (userSettingsShownToOthers.includes(change.property)) await this.#notifyOthers(tx, realmId, owners, change);
    }
    for (const { property, value, userIds: changedIds } of changed) {
      if (property === exportConsentSettingName) {
        await emitExportConsents(tx, this.events, realmId, { userIds: changedIds, consented: value === true });
      }
    }
    for (const { property, value, userIds: shownIds } of changed) {
      if (property === 'presence_enabled' && value === true) await this.#emitPresencesShown(tx, realmId, shownIds);
    }
  }

  #notifyOwners(tx: Tx, realmId: number, { property, value, userIds }: ChangedSetting): void {
    const payload = {
      property,
      value,
      ...(property === 'default_language' && { languageName: getNativeLanguageName(String(value)) }),
    };
    this.events.write(tx, realmId, userSettingsEvent, { audience: { users: userIds }, payload });
  }

  async #removeDrafts(tx: Tx, realmId: number, userIds: readonly number[]): Promise<void> {
    for (const { userId, draftIds } of await removeAllDrafts(tx, userIds)) {
      const payload = { draftIds: [...draftIds] };
      this.events.write(tx, realmId, draftsRemoveEvent, { audience: { users: [userId] }, payload });
    }
  }

  async #notifyOthers(
    tx: Tx,
    realmId: number,
    owners: readonly SettingsOwner[],
    change: ChangedSetting,
  ): Promise<void> {
    const audiences = await getAudiencesOfUserEvents(tx, realmId, change.userIds);
    for (const owner of owners) {
      const audience = audiences.get(owner.id);
      if (audience === undefined) continue;
      this.#notifyOthersAbout(tx, realmId, owner, audience, change);
    }
  }

  #notifyOthersAbout(
    tx: Tx,
    realmId: number,
    owner: SettingsOwner,
    { audience }: UserEventAudience,
    change: ChangedSetting,
  ): void {
    const { emailVisibility: before, ...user } = owner;
    if (change.property === 'timezone') {
      const payload = { userId: user.id, change: { timezone: String(change.value) } };
      this.events.write(tx, realmId, realmUserUpdateEvent, { audience, payload });
    } else if (change.property === 'presence_enabled') {
      const payload = { user_id: user.id, away: change.value === false };
      this.events.write(tx, realmId, userStatusEvent, { audience, payload });
      if (payload.away) this.#emitPresenceHidden(tx, realmId, owner, audience);
    } else {
      const payload = { ...user, before, after: Number(change.value) };
      this.events.write(tx, realmId, emailVisibilityEvent, { audience, payload });
    }
  }

  /**
   * Records the given users, who enabled presence sharing, as active, and emits presence events about these users.
   * Locks the counter of the realm's presence updates.
   */
  async #emitPresencesShown(tx: Tx, realmId: number, userIds: readonly number[]): Promise<void> {
    const audiences = await getAudiencesOfUserEvents(tx, realmId, userIds);
    const reports = userIds.map((userId) => ({ userId, isActive: true }));
    await recordPresences(tx, realmId, reports);
    for (const presence of await listPresencesToEmit(tx, realmId, userIds)) {
      const recipients = audiences.get(presence.id);
      if (recipients === undefined) continue;
      const payload = { presence, serverTimestamp: this.clock.now() / 1000 };
      this.events.write(tx, realmId, presenceEvent, { audience: recipients.audience, payload });
    }
  }

  /** Emits a presence event that shows a user as offline, because the user disabled presence sharing. */
  #emitPresenceHidden(tx: Tx, realmId: number, owner: SettingsOwner, audience: UserEventAudience['audience']): void {
    const { id, deliveryEmail, emailVisibility, isBot } = owner;
    const presence = { id, deliveryEmail, emailVisibility, isBot, active: 0, connected: 0 };
    const payload = { presence, serverTimestamp: this.clock.now() / 1000 };
    this.events.write(tx, realmId, presenceEvent, { audience, payload });
  }
}

import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import { AccessRevocation } from '../access/access-revocation.js';
import { type ChatActor, userRoleNumbers } from '../../infra/http/chat-actor.js';
import { type ActorRights, loadActorRights, requireAdmin, requireOwner } from '../access/actor-rights.js';
import { realmPermissions } from '../access/permission-settings.js';
import type { ChatConfig } from '../../config.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import { MessageRenderer } from '../../infra/markdown/index.js';
import { CHAT_CONFIG_TOKEN, DATABASE_TOKEN, MESSAGE_RENDERER_TOKEN } from '../../tokens.js';
import { listAvailableVideoProviders } from '../../infra/video/index.js';
import { RealmMarkdownSettingsCache } from '../realm-markdown-settings/index.js';
import { moveMembersBetweenMemberGroups } from '../user-groups/index.js';
import { type ChangedRealmPermissions, changeRealmPermissions } from './change-realm-permissions.js';
import {
  type ChangedRealmSettings,
  changeOrdinaryRealmSettings,
  changeSpecialChannels,
} from './change-realm-settings.js';
import { realmSettingsChangedTogetherEvent, realmUpdateEvent } from './realms.events.js';
import { lockRealm, lockRealmMembership } from '../database-locks.js';

/**
 * Requested realm settings, by parameter name of `updateRealmParameters`. Settings that are absent remain unchanged.
 */
export type RequestedRealmChanges = Readonly<Record<string, unknown>>;

/**
 * Names of settings that only owners may change, and of permissions that only owners may change by default
 * (docs/contract/chat.md 6.4).
 */
const ownerOnlySettings: ReadonlySet<string> = new Set([
  'waiting_period_threshold',
  'emails_restricted_to_domains',
  ...Object.entries(realmPermissions)
    .filter(([, { initial }]) => initial === 'role:owners')
    .map(([name]) => name),
]);

/**
 * Changes settings and permissions of the realm (docs/contract/chat.md 2.H). If one change fails, no setting is
 * changed.
 */
@Injectable()
export class UpdateRealm {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly events: ChatEventWriter,
    private readonly revocation: AccessRevocation,
    private readonly contents: RealmMarkdownSettingsCache,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: ChatConfig,
    @Inject(MESSAGE_RENDERER_TOKEN) private readonly renderer: MessageRenderer,
  ) {}

  /**
   * Changes the requested settings of the realm, and returns the changed settings.
   *
   * @throws ApplicationError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL, EXPECTATION_MISMATCH, SYSTEM_GROUP_REQUIRED
   */
  async run(actor: ChatActor, sent: RequestedRealmChanges): Promise<object> {
    const change = replaceOldRealmSettingNames(sent);
    const { changed, guests } = await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'exclusive');
      checkRealmSettingRights(await loadActorRights(tx, actor), change);
      this.#checkVideoProvider(change['video_chat_provider']);
      await lockRealm(tx, actor.realmId);
      const plain = await changeOrdinaryRealmSettings(tx, actor.realmId, change);
      const channels = await changeSpecialChannels(tx, actor.realmId, change);
      const permissions = await changeRealmPermissions(tx, actor.realmId, change);
      const changed = { ...plain.changed, ...channels.changed };
      this.#writeEvents(tx, actor.realmId, changed, permissions.derived);
      if ('waiting_period_threshold' in plain.changed)
        await moveMembersBetweenMemberGroups(tx, this.events, actor.realmId, null);
      const isSightChanged = 'can_access_all_users_group' in permissions.changed;
      const affected = isSightChanged ? await listGuestIds(tx, actor.realmId) : [];
      // These guests may now see other users than their event queues have shown.
      this.events.endEventQueuesOfAccounts(tx, actor.realmId, affected);
      const after = { ...changed, ...permissions.changed };
      const before = { ...plain.before, ...channels.before, ...permissions.before };
      if (Object.keys(after).length > 0)
        chatAudit.add(tx, 'realm_settings_changed', { id: actor.realmId, before, after });
      return { changed: after, guests: affected };
    });
    await this.contents.invalidate(actor.realmId);
    await this.revocation.endQueuesOfAccounts(actor.realm, guests);
    return changed;
  }

  /**
   * Rejects a video-call provider that the operator has not configured.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  #checkVideoProvider(chosen: unknown): void {
    if (chosen === undefined || Object.values(listAvailableVideoProviders(this.config)).some(({ id }) => id === chosen))
      return;
    throw createBadRequestError(`Invalid video_chat_provider ${String(chosen)}`);
  }

  #writeEvents(
    tx: Tx,
    realmId: number,
    plain: ChangedRealmSettings,
    together: ChangedRealmPermissions['derived'],
  ): void {
    const audience = { all: true } as const;
    const derived = addDerivedSettings(plain, this.renderer);
    for (const [property, value] of Object.entries(plain)) {
      if (property in derived) continue;
      this.events.write(tx, realmId, realmUpdateEvent, { audience, payload: { property, value } });
    }
    const data = { ...derived, ...together };
    if (Object.keys(data).length > 0) {
      this.events.write(tx, realmId, realmSettingsChangedTogetherEvent, { audience, payload: { data } });
    }
  }
}

function checkRealmSettingRights(rights: ActorRights, change: RequestedRealmChanges): void {
  requireAdmin(rights);
  const names = Object.keys(change).filter((name) => change[name] !== undefined);
  if (names.some((name) => ownerOnlySettings.has(name))) requireOwner(rights);
  if (typeof change['name'] === 'string' && change['name'].trim() === '') {
    throw createBadRequestError('Organization name cannot be blank');
  }
}

/** Returns the requested settings with current names instead of older names of settings. */
function replaceOldRealmSettingNames({
  giphy_rating: rating,
  ...change
}: RequestedRealmChanges): RequestedRealmChanges {
  return { ...(rating !== undefined && { gif_rating_policy: rating }), ...change };
}

/**
 * Returns the changed settings from which other fields are derived, together with the derived fields. For example,
 * returns the description with its HTML (docs/contract/chat.md 4.3).
 */
function addDerivedSettings(changed: ChangedRealmSettings, renderer: Pick<MessageRenderer, 'renderPlain'>) {
  const { topics_policy: topics, message_edit_history_visibility_policy: history } = changed;
  const { description, gif_rating_policy: rating } = changed;
  return {
    ...(typeof description === 'string' && {
      description,
      rendered_description: renderer.renderPlain(description),
    }),
    ...(rating !== undefined && { gif_rating_policy: rating, giphy_rating: rating }),
    ...(topics !== undefined && { topics_policy: topics, mandatory_topics: topics === 'disable_empty_topic' }),
    ...(history !== undefined && {
      message_edit_history_visibility_policy: history,
      allow_edit_history: history !== 'none',
    }),
  };
}

async function listGuestIds(tx: Tx, realmId: number): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    `SELECT id FROM users WHERE realm_id = $1 AND role = ${userRoleNumbers.guest} AND is_active`,
    [realmId],
  );
  return rows.map(({ id }) => id);
}

import type { MessageRenderer } from '../../infra/markdown/index.js';
import type { PermissionValueByGroupId, SystemGroupIdByName } from '../user-groups/index.js';
import { emptyTopicName } from '../../events/empty-topic-name.js';
import { getLegacyPolicies } from './legacy-policy-settings.js';
import { getRealmImageApiFields, realmImageKinds } from './realm-images.js';
import type { RealmRecord } from './get-realm-row.js';
import { listAvailableVideoProviders, getDefaultJitsiServerUrl, type VideoConfig } from '../../infra/video/index.js';
import { serverLimitSnapshotFields, getServerSnapshotFields } from './server-snapshot-fields.js';
import { externalAccountServicesByKey } from './external-account-types.js';

/** Data, in addition to the realm, that {@link getRealmSnapshotFields} needs. */
export interface RealmSnapshotContext {
  readonly values: PermissionValueByGroupId;
  readonly systemGroups: SystemGroupIdByName;
  /** Scheme and host of the URL at which the client reached the server. */
  readonly origin: string;
  readonly botDomain: string;
  readonly renderer: Pick<MessageRenderer, 'renderPlain'>;
  readonly isDevelopment: boolean;
  readonly video: VideoConfig;
  /** Start time of this process, in UNIX seconds. */
  readonly serverGeneration: number;
}

/** Returns the response fields of the fetch type `realm` in POST /register (docs/contract/chat.md 4.3). */
export function getRealmSnapshotFields(realm: RealmRecord, context: RealmSnapshotContext): object {
  return {
    ...getRealmSettingFields(realm),
    ...getRealmPermissionFields(realm, context.values),
    ...getRealmIdentityFields(realm, context),
    ...getDerivedRealmFields(realm, context),
    ...serverLimitSnapshotFields,
    ...getServerSnapshotFields(context),
    ...getRealmVideoCallFields(realm, context.video),
  };
}

function getRealmSettingFields({ settings }: RealmRecord): object {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [`realm_${name}`, value]));
}

function getRealmPermissionFields({ permissions }: RealmRecord, values: PermissionValueByGroupId): object {
  return Object.fromEntries(
    Object.entries(permissions).map(([name, groupId]) => [`realm_${name}`, values.getPermissionValue(groupId)]),
  );
}

function getRealmIdentityFields(realm: RealmRecord, { origin, botDomain, renderer }: RealmSnapshotContext): object {
  return {
    realm_name: realm.name,
    realm_uuid: realm.uuid,
    realm_description: realm.description,
    realm_rendered_description: renderer.renderPlain(realm.description),
    realm_url: origin,
    realm_uri: origin,
    ...getRealmImageFields(realm),
    realm_date_created: Math.floor(realm.dateCreated),
    realm_bot_domain: botDomain,
    realm_is_zephyr_mirror_realm: false,
  };
}

function getRealmImageFields(realm: RealmRecord): object {
  const fields = realmImageKinds.flatMap((kind) => Object.entries(getRealmImageApiFields(realm, kind)));
  return Object.fromEntries(fields.map(([name, value]) => [`realm_${name}`, value]));
}

function getRealmVideoCallFields({ settings }: RealmRecord, video: VideoConfig): object {
  const server = getDefaultJitsiServerUrl(video);
  return {
    realm_available_video_chat_providers: listAvailableVideoProviders(video),
    server_jitsi_server_url: server,
    jitsi_server_url: settings.jitsi_server_url ?? server,
  };
}

function getDerivedRealmFields(realm: RealmRecord, { systemGroups, isDevelopment }: RealmSnapshotContext): object {
  const { settings, permissions } = realm;
  const policies = Object.entries(getLegacyPolicies(permissions, systemGroups));
  return {
    realm_mandatory_topics: settings.topics_policy === 'disable_empty_topic',
    realm_giphy_rating: settings.gif_rating_policy,
    realm_owner_full_content_access: false,
    realm_allow_edit_history: settings.message_edit_history_visibility_policy !== 'none',
    realm_empty_topic_display_name: emptyTopicName,
    realm_default_external_accounts: externalAccountServicesByKey,
    realm_authentication_methods: {
      Dev: { enabled: isDevelopment, available: isDevelopment },
      Email: { enabled: true, available: true },
    },
    realm_email_auth_enabled: true,
    realm_password_auth_enabled: true,
    realm_push_notifications_enabled: false,
    realm_push_notifications_enabled_end_timestamp: null,
    realm_new_stream_announcements_stream_id: realm.newStreamAnnouncementsChannelId ?? -1,
    realm_signup_announcements_stream_id: realm.signupAnnouncementsChannelId ?? -1,
    realm_zulip_update_announcements_stream_id: realm.updateAnnouncementsChannelId ?? -1,
    realm_moderation_request_channel_id: realm.moderationRequestChannelId ?? -1,
    ...Object.fromEntries(policies.map(([name, value]) => [`realm_${name}`, value])),
    realm_billing: { has_pending_sponsorship_request: false },
  };
}

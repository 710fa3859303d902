import { z } from 'zod';
import { realmPermissions } from '../access/permission-settings.js';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { videoCallProviderNumbers } from '../../infra/video/index.js';
import { groupPermissionChangeSchema, groupPermissionValueSchema } from '../user-groups/index.js';
import { gifRatings } from './gif-rating-choices.js';
import { realmSettingsSchema } from './realm-settings.js';

const unlimitedSettingValue = z.literal('unlimited').transform(() => null);
const positiveOrUnlimitedSettingSchema = z.union([z.int().positive().max(2_147_483_647), unlimitedSettingValue]);

/**
 * Schema of the URL of a Jitsi server, as plain text or JSON. The value `default` means the server that the operator
 * configured.
 */
const jitsiServerSchema = z
  .string()
  .max(200)
  .transform((text) => text.replace(/^"(.*)"$/, '$1'))
  .refine((text) => text === 'default' || z.url({ protocol: /^https?$/ }).safeParse(text).success, {
    error: 'jitsi_server_url is not a URL',
  })
  .transform((text) => (text === 'default' ? null : text));

/** Schemas of the settings for which PATCH /realm accepts different values than {@link realmSettingsSchema}. */
const restrictedRealmSettingSchemas = {
  waiting_period_threshold: z.int().min(0).max(36_500),
  message_content_edit_limit_seconds: positiveOrUnlimitedSettingSchema,
  message_content_delete_limit_seconds: positiveOrUnlimitedSettingSchema,
  move_messages_within_stream_limit_seconds: positiveOrUnlimitedSettingSchema,
  move_messages_between_streams_limit_seconds: positiveOrUnlimitedSettingSchema,
  message_retention_days: z.union([z.int().positive().max(36_500), z.literal('unlimited').transform(() => -1)]),
  digest_weekday: z.int().min(0).max(6),
  media_preview_size: z.literal([100, 150, 200]),
  gif_rating_policy: z.literal(Object.values(gifRatings).map(({ id }) => id)),
  org_type: z.literal([0, 10, 20, 30, 35, 40, 50, 60, 70, 80, 90, 100, 110, 1000]),
  video_chat_provider: z.literal(Object.values(videoCallProviderNumbers)),
  jitsi_server_url: jitsiServerSchema,
  welcome_message_custom_text: z.string().max(8000),
  default_code_block_language: z.string().max(50),
} as const;

/** Names of settings that only the operator of the server can change. */
const operatorOnlySettings: ReadonlySet<string> = new Set(['plan_type', 'upload_quota_mib']);

const updatableSettingNames = Object.keys(realmSettingsSchema.shape).filter((name) => !operatorOnlySettings.has(name));

const createSettingSchema = (name: string): z.ZodType => {
  const own: Readonly<Record<string, z.ZodType | undefined>> = restrictedRealmSettingSchemas;
  const all: Readonly<Record<string, z.ZodDefault | undefined>> = realmSettingsSchema.shape;
  return own[name] ?? (all[name]?.unwrap() as z.ZodType);
};

/**
 * Columns of `realms` that store the channels with a special use, by name of the setting. The API value -1 means no
 * channel.
 */
export const specialChannelColumnBySetting = {
  new_stream_announcements_stream_id: 'new_stream_announcements_channel_id',
  signup_announcements_stream_id: 'signup_announcements_channel_id',
  zulip_update_announcements_stream_id: 'zulip_update_announcements_channel_id',
  moderation_request_channel_id: 'moderation_request_channel_id',
} as const;

const updateRealmTextsSchemas = { name: z.string().max(40), description: z.string().max(1000) };
const updateRealmSettingsSchemas = Object.fromEntries(
  updatableSettingNames.map((name) => [name, createSettingSchema(name).optional()]),
);
const updateRealmPermissionsSchemas = Object.fromEntries(
  Object.keys(realmPermissions).map((name) => [name, groupPermissionChangeSchema.optional()]),
);
const updateRealmChannelsSchemas = Object.fromEntries(
  Object.keys(specialChannelColumnBySetting).map((name) => [name, z.int().min(-1).optional()]),
);

/**
 * Parameters of PATCH /realm (docs/contract/chat.md 2.H). The parameters are the settings of docs/contract/chat.md 4.3,
 * with names without the prefix `realm_`.
 */
export const updateRealmParameters = defineParameters(
  z.object({
    ...updateRealmSettingsSchemas,
    ...updateRealmPermissionsSchemas,
    ...updateRealmChannelsSchemas,
    giphy_rating: restrictedRealmSettingSchemas.gif_rating_policy
      .optional()
      .meta({ description: 'The older name of gif_rating_policy' }),
    name: updateRealmTextsSchemas.name.optional(),
    description: updateRealmTextsSchemas.description.optional(),
  }),
);

const optionalScalarSettingSchema = z.union([z.string(), z.int(), z.boolean()]).nullable().optional();

/** Response of PATCH /realm: the changed settings with their new values. */
export const updateRealmResponseBody = createSuccessBodySchema({
  name: z.string().optional(),
  description: z.string().optional(),
  ...Object.fromEntries(
    [...updatableSettingNames, ...Object.keys(specialChannelColumnBySetting)].map((name) => [
      name,
      optionalScalarSettingSchema,
    ]),
  ),
  ...Object.fromEntries(Object.keys(realmPermissions).map((name) => [name, groupPermissionValueSchema.optional()])),
});

/**
 * Names of the PATCH /realm settings that are neither permissions nor special channels. The list includes the name and
 * description of the realm.
 */
export const ordinaryRealmSettingNames: readonly string[] = ['name', 'description', ...updatableSettingNames];

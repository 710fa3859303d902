import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { notificationSounds, userSettingsSchema } from '../../core/users/index.js';
import { languageCodes } from './supported-languages.js';

const { web_home_view: homeView, ...plain } = userSettingsSchema.shape;

/**
 * Schemas of the request parameters for all user settings that have no separate endpoint. All parameters are optional.
 */
const settingParameters = {
  ...Object.fromEntries(Object.entries(plain).map(([name, schema]) => [name, schema.unwrap().optional()])),
  // Bounds apply to new values only; stored values may be outside of them.
  web_font_size_px: z.int().min(12).max(20).optional(),
  web_line_height_percent: z.int().min(100).max(200).optional(),
  default_language: z.enum(languageCodes).optional(),
  notification_sound: z.enum([...notificationSounds, 'none']).optional(),
  web_home_view: z
    .enum([...homeView.unwrap().options, 'recent_topics'])
    .optional()
    .meta({ description: '`recent_topics` is the older name of `recent`' }),
  email_address_visibility: z.literal([1, 2, 3, 4, 5]).optional(),
};

const targetUsersSchema = z.strictObject({
  user_ids: z.array(z.int()).optional(),
  group_ids: z.array(z.int()).optional().meta({ description: 'All active members, including those of subgroups' }),
  skip_if_already_edited: z.boolean().optional(),
});

/** Conditions that select the accounts whose settings an administrator changes (chat-4.1-37). */
export type TargetUsers = z.infer<typeof targetUsersSchema>;

/** Parameters of PATCH /settings (chat-4.1, docs/contract/chat.md 2.G). */
export const updateSettingsParameters = defineParameters(
  z.object({
    ...settingParameters,
    timezone: z.string().optional().meta({ description: 'IANA identifier' }),
    full_name: z.string().optional(),
    email: z
      .string()
      .optional()
      .meta({ description: 'The new address gets a mail with a link that confirms the change' }),
    old_password: z.string().max(1000).optional(),
    new_password: z.string().optional(),
    target_users: targetUsersSchema.optional().meta({ description: 'Only for administrators' }),
  }),
);

/** Parameters of PATCH /realm/user_settings_defaults (docs/contract/chat.md 2.H). */
export const defaultSettingsUpdateParameters = defineParameters(
  z.object({
    ...settingParameters,
    twenty_four_hour_time: z
      .boolean()
      .nullable()
      .optional()
      .meta({ description: "Null for the format of the user's language" }),
  }),
);

/** Schema of the success response of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});

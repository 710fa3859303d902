import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';
import { realmImageKinds } from './realm-images.js';
import { groupPermissionValueSchema } from '../user-groups/index.js';

const allUsersEventAudience = 'All users of the realm.';
const scalarSettingChangeSchema = z.union([z.string(), z.int(), z.boolean()]).nullable();

/** Event that informs users about one changed setting of the realm. */
export const realmUpdateEvent = defineEventType({
  name: 'realm/update',
  webhookOrder: 'type',
  audience: allUsersEventAudience,
  payload: z.strictObject({ property: z.string(), value: scalarSettingChangeSchema }),
}).addVariant({
  type: 'realm',
  op: 'update',
  fields: { property: z.string(), value: scalarSettingChangeSchema },
  render: (change) => change,
});

const settingChangesByNameSchema = z.record(
  z.string(),
  z.union([scalarSettingChangeSchema, groupPermissionValueSchema]),
);

/**
 * Event that informs users about several realm settings that changed together. Examples are permissions, and settings
 * from which other settings are derived.
 */
export const realmSettingsChangedTogetherEvent = defineEventType({
  name: 'realm/update_dict',
  webhookOrder: 'type',
  audience: allUsersEventAudience,
  payload: z.strictObject({ data: settingChangesByNameSchema }),
}).addVariant({
  type: 'realm',
  op: 'update_dict',
  fields: { property: z.literal('default'), data: settingChangesByNameSchema },
  render: (change) => ({ property: 'default' as const, data: change.data }),
});

const realmImageChangeSchema = { property: z.enum(realmImageKinds), data: z.record(z.string(), z.string()) };

/** Event that informs users about a changed icon or logo of the realm. Contains the URL and source of the image. */
export const realmImageEvent = defineEventType({
  name: 'realm/update_image',
  webhookOrder: 'type',
  audience: allUsersEventAudience,
  payload: z.strictObject(realmImageChangeSchema),
}).addVariant({ type: 'realm', op: 'update_dict', fields: realmImageChangeSchema, render: (change) => change });

export const realmEventTypes = [realmUpdateEvent, realmSettingsChangedTogetherEvent, realmImageEvent];

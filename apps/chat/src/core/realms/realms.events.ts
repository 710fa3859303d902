import { z } from 'zod';
import { defineEvent } from '../../events/define-event-type.js';
import { realmImageKinds } from './realm-images.js';
import { groupSettingValueSchema } from '../user-groups/index.js';

const allUsersAudience = 'All users of the realm.';
const plainChangePayloadSchema = z.union([z.string(), z.int(), z.boolean()]).nullable();

/** Event that informs users about one changed setting of the realm. */
export const realmUpdateEvent = defineEvent({
  name: 'realm/update',
  webhookOrder: 'type',
  audience: allUsersAudience,
  payload: z.strictObject({ property: z.string(), value: plainChangePayloadSchema }),
}).withVariant({
  type: 'realm',
  op: 'update',
  fields: { property: z.string(), value: plainChangePayloadSchema },
  render: (change) => change,
});

const dictionaryChangePayloadSchema = z.record(
  z.string(),
  z.union([plainChangePayloadSchema, groupSettingValueSchema]),
);

/**
 * Event that informs users about several realm settings that changed together, for example permissions or settings with
 * derived settings.
 */
export const realmUpdateDictEvent = defineEvent({
  name: 'realm/update_dict',
  webhookOrder: 'type',
  audience: allUsersAudience,
  payload: z.strictObject({ data: dictionaryChangePayloadSchema }),
}).withVariant({
  type: 'realm',
  op: 'update_dict',
  fields: { property: z.literal('default'), data: dictionaryChangePayloadSchema },
  render: (change) => ({ property: 'default' as const, data: change.data }),
});

const realmImageChangeSchema = { property: z.enum(realmImageKinds), data: z.record(z.string(), z.string()) };

/** Event that informs users about a changed icon or logo of the realm. Contains the URL and source of the image. */
export const realmImageEvent = defineEvent({
  name: 'realm/update_image',
  webhookOrder: 'type',
  audience: allUsersAudience,
  payload: z.strictObject(realmImageChangeSchema),
}).withVariant({ type: 'realm', op: 'update_dict', fields: realmImageChangeSchema, render: (change) => change });

/** All types of events about the realm. */
export const realmEvents = [realmUpdateEvent, realmUpdateDictEvent, realmImageEvent];

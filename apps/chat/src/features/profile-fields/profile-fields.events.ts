import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';
import { wireProfileFieldSchema } from './wire-profile-field.js';

/**
 * Event sent when custom profile fields changed or were reordered. The event contains the complete list of fields
 * (docs/contract/chat.md 3.4).
 */
export const profileFieldsEvent = defineEventType({
  name: 'custom_profile_fields',
  webhookOrder: 'type',
  audience: 'All users of the realm.',
  payload: z.strictObject({ fields: z.array(wireProfileFieldSchema) }),
}).addVariant({
  type: 'custom_profile_fields',
  fields: { fields: z.array(wireProfileFieldSchema) },
  render: (all) => all,
});

const changedProfileValueSchema = z.strictObject({
  id: z.int(),
  value: z.string().nullable(),
  rendered_value: z.string().optional(),
});

/**
 * Event sent when a user's value of a profile field changed. The value in the event is null if the value was removed.
 */
export const profileValueEvent = defineEventType({
  name: 'realm_user/update_profile',
  webhookOrder: 'type',
  audience: 'All users who can see the account: all except guests with limited access to users.',
  payload: z.strictObject({ userId: z.int(), changes: z.array(changedProfileValueSchema) }),
  count: ({ changes }) => changes.length,
}).addVariant({
  type: 'realm_user',
  op: 'update',
  fields: { person: z.strictObject({ user_id: z.int(), custom_profile_field: changedProfileValueSchema }) },
  render: ({ userId, changes }) =>
    changes.map((change) => ({ person: { user_id: userId, custom_profile_field: change } })),
});

/** List of all event types of the custom profile field feature. */
export const profileFieldEvents = [profileFieldsEvent, profileValueEvent];

import { z } from 'zod';
import { defineEvent } from '../../events/event-type.js';
import { wireProfileField } from './wire-profile-field.js';

/** The fields of profiles are others, or in another order (docs/contract/chat.md 3.4): all of them. */
export const profileFieldsEvent = defineEvent({
  name: 'custom_profile_fields',
  audience: 'All users of the realm.',
  payload: z.strictObject({ fields: z.array(wireProfileField) }),
}).as({ type: 'custom_profile_fields', fields: { fields: z.array(wireProfileField) }, render: (all) => all });

const changedValue = z.strictObject({
  id: z.int(),
  value: z.string().nullable(),
  rendered_value: z.string().optional(),
});

/** A user's value of a profile field changed; null: it was removed. */
export const profileValueEvent = defineEvent({
  name: 'realm_user/update_profile',
  audience: 'All users who can see the account: all except guests with limited access to users.',
  payload: z.strictObject({ userId: z.int(), changes: z.array(changedValue) }),
  count: ({ changes }) => changes.length,
}).as({
  type: 'realm_user',
  op: 'update',
  fields: { person: z.strictObject({ user_id: z.int(), custom_profile_field: changedValue }) },
  render: ({ userId, changes }) =>
    changes.map((change) => ({ person: { user_id: userId, custom_profile_field: change } })),
});

/** The events of this module. */
export const profileFieldEvents = [profileFieldsEvent, profileValueEvent];

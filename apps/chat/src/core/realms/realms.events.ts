import { z } from 'zod';
import { defineEvent } from '../../events/event-type.js';
import { groupSettingValue } from '../user-groups/index.js';

const allUsers = 'All users of the realm.';
const plain = z.union([z.string(), z.int(), z.boolean()]).nullable();

/** One setting of the realm changed. */
export const realmUpdateEvent = defineEvent({
  name: 'realm/update',
  audience: allUsers,
  payload: z.strictObject({ property: z.string(), value: plain }),
}).as({
  type: 'realm',
  op: 'update',
  fields: { property: z.string(), value: plain },
  render: (change) => change,
});

const data = z.record(z.string(), z.union([plain, groupSettingValue]));

/** Settings of the realm changed together: permissions, and what other settings follow from. */
export const realmUpdateDictEvent = defineEvent({
  name: 'realm/update_dict',
  audience: allUsers,
  payload: z.strictObject({ data }),
}).as({
  type: 'realm',
  op: 'update_dict',
  fields: { property: z.literal('default'), data },
  render: (change) => ({ property: 'default' as const, data: change.data }),
});

/** The events of this module. */
export const realmEvents = [realmUpdateEvent, realmUpdateDictEvent];

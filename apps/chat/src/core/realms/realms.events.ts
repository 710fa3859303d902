import { z } from 'zod';
import { defineEvent } from '../../events/event-type.js';
import { groupSettingValue } from '../user-groups/index.js';

const allUsers = 'All users of the realm.';
const realmsEventPlain = z.union([z.string(), z.int(), z.boolean()]).nullable();

/** Event of a changed realm setting. */
export const realmUpdateEvent = defineEvent({
  name: 'realm/update',
  audience: allUsers,
  payload: z.strictObject({ property: z.string(), value: realmsEventPlain }),
}).as({
  type: 'realm',
  op: 'update',
  fields: { property: z.string(), value: realmsEventPlain },
  render: (change) => change,
});

const realmsEventData = z.record(z.string(), z.union([realmsEventPlain, groupSettingValue]));

/** Event of several realm settings that changed together: permissions, and settings from which others are derived. */
export const realmUpdateDictEvent = defineEvent({
  name: 'realm/update_dict',
  audience: allUsers,
  payload: z.strictObject({ data: realmsEventData }),
}).as({
  type: 'realm',
  op: 'update_dict',
  fields: { property: z.literal('default'), data: realmsEventData },
  render: (change) => ({ property: 'default' as const, data: change.data }),
});

/** All realm events. */
export const realmEvents = [realmUpdateEvent, realmUpdateDictEvent];

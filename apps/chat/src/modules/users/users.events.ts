import { z } from 'zod';
import { defineEvent } from '../../events/event-type.js';
import { toWireUser, wireUser } from './wire-user.js';

const payload = z.strictObject({
  id: z.int(),
  deliveryEmail: z.string(),
  emailVisibility: z.int(),
  fullName: z.string(),
  dateJoined: z.string(),
  isActive: z.boolean(),
  isDeleted: z.boolean(),
  isImportedStub: z.boolean(),
  isSystemBot: z.boolean(),
  isBot: z.boolean(),
  botType: z.int().nullable(),
  botOwnerId: z.int().nullable(),
  role: z.int(),
  timezone: z.string(),
  avatarSource: z.string(),
  avatarVersion: z.int(),
});

/** Somebody joined (chat-contract 3.4). For everybody; each reader sees the address that it may see. */
export const realmUserAddEvent = defineEvent({
  name: 'realm_user/add',
  type: 'realm_user',
  payload,
  wire: z.strictObject({
    type: z.literal('realm_user'),
    op: z.literal('add'),
    person: wireUser.omit({ is_imported_stub: true, is_deleted: true }),
  }),
  render(user, { viewer, clientGravatar }) {
    // Strict clients refuse the two keys that only lists carry (chat-contract 2.A).
    const {
      is_imported_stub: _stub,
      is_deleted: _deleted,
      ...person
    } = toWireUser(user, {
      viewer,
      clientGravatar,
      customFields: true,
    });
    return { type: 'realm_user' as const, op: 'add' as const, person };
  },
});

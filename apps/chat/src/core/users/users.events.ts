import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';
import { realmBotAddEvent, realmBotDeleteEvent, realmBotSecretEvent, realmBotUpdateEvent } from './bots.events.js';
import { realmUserAvatarEvent, realmUserEmailEvent, realmUserUpdateEvent } from './user-changes.events.js';
import { emailVisibilityEvent } from './email-visibility.events.js';
import { viewerRoleEvent } from './viewer-role.events.js';
import { userStatusEvent } from './user-status.events.js';
import { customProfileValueSchema, toPlaceholderUser, toWireUser, wireUserSchema } from './wire-user.js';

const newUserEventPayloadSchema = z.strictObject({
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
  profileData: z.record(z.string(), customProfileValueSchema).optional(),
  /**
   * Ids of the guests who cannot see the account of the event. The field is absent in older event log entries, which
   * all users receive.
   */
  hiddenFrom: z.array(z.int()).default([]),
});

/**
 * Event of a new user (docs/contract/chat.md 3.4). Each recipient of the event receives the email address that this
 * recipient may see.
 */
export const realmUserAddEvent = defineEventType({
  name: 'realm_user/add',
  webhookOrder: 'type',
  audience: 'All users of the realm; guests who cannot see the account get a placeholder, or no event.',
  payload: newUserEventPayloadSchema,
}).addVariant({
  type: 'realm_user',
  op: 'add',
  fields: { person: wireUserSchema.omit({ is_imported_stub: true, is_deleted: true }) },
  render({ hiddenFrom, ...user }, { viewer, clientGravatar, capabilities }) {
    const isHidden = hiddenFrom.includes(viewer.id);
    if (isHidden && capabilities.user_list_incomplete) return null;
    // Strict clients reject two keys that only lists have (docs/contract/chat.md 2.A).
    const {
      is_imported_stub: _stub,
      is_deleted: _deleted,
      ...person
    } = isHidden ? toPlaceholderUser(user, viewer) : toWireUser(user, { viewer, clientGravatar, customFields: true });
    return { person };
  },
});

export const userAndBotEventTypes = [
  realmUserAddEvent,
  realmUserUpdateEvent,
  realmUserAvatarEvent,
  realmUserEmailEvent,
  emailVisibilityEvent,
  viewerRoleEvent,
  userStatusEvent,
  realmBotAddEvent,
  realmBotUpdateEvent,
  realmBotSecretEvent,
  realmBotDeleteEvent,
];

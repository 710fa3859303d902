import { z } from 'zod';
import { createAvatarUrl, createMediumAvatarUrl } from '../access/avatar-url.js';
import { canViewerSeeEmail } from '../access/email-visibility.js';
import { defineEventType } from '../../events/define-event-type.js';

const changedUserIdSchema = z.int();
const accountEventAudienceDescription =
  'All users who can see the account: all except guests with limited access to users.';

const storedUserChangeSchema = z.union([
  z.strictObject({ full_name: z.string() }),
  z.strictObject({ role: z.int() }),
  z.strictObject({ is_active: z.boolean() }),
  z.strictObject({ bot_owner_id: z.int() }),
  z.strictObject({ timezone: z.string() }),
  z.strictObject({ is_imported_stub: z.boolean() }),
  z.strictObject({ date_joined: z.string() }),
]);

const changedPersonSchema = z.union([
  z.strictObject({ user_id: changedUserIdSchema, full_name: z.string() }),
  z.strictObject({ user_id: changedUserIdSchema, role: z.int() }),
  z.strictObject({ user_id: changedUserIdSchema, is_active: z.boolean() }),
  z.strictObject({ user_id: changedUserIdSchema, bot_owner_id: z.int() }),
  z.strictObject({ user_id: changedUserIdSchema, timezone: z.string() }),
  z.strictObject({ user_id: changedUserIdSchema, is_imported_stub: z.boolean() }),
  z.strictObject({ user_id: changedUserIdSchema, date_joined: z.string() }),
]);

/**
 * Event of a changed property of an account whose value is equal for all users who see the account
 * (docs/contract/chat.md 3.4).
 */
export const realmUserUpdateEvent = defineEventType({
  name: 'realm_user/update',
  webhookOrder: 'type',
  audience: accountEventAudienceDescription,
  payload: z.strictObject({ userId: changedUserIdSchema, change: storedUserChangeSchema }),
}).addVariant({
  type: 'realm_user',
  op: 'update',
  fields: { person: changedPersonSchema },
  render: (stored) => ({ person: { user_id: stored.userId, ...stored.change } }),
});

const avatarPersonSchema = z.strictObject({
  user_id: changedUserIdSchema,
  avatar_url: z.string().nullable(),
  avatar_url_medium: z.string().nullable(),
  avatar_source: z.enum(['G', 'U']),
  avatar_version: z.int(),
});

const emailPersonSchema = z.union([
  z.strictObject({ user_id: changedUserIdSchema, delivery_email: z.string() }),
  z.strictObject({ user_id: changedUserIdSchema, new_email: z.string() }),
  avatarPersonSchema,
]);

const avatarEventPayloadSchema = z.strictObject({
  id: changedUserIdSchema,
  deliveryEmail: z.string(),
  emailVisibility: z.int(),
  isBot: z.boolean(),
  avatarSource: z.enum(['G', 'U']),
  avatarVersion: z.int(),
});

function toAvatarPerson(
  user: z.infer<typeof avatarEventPayloadSchema>,
  url: string | null,
): z.infer<typeof avatarPersonSchema> {
  return {
    user_id: user.id,
    avatar_url: url,
    avatar_url_medium: url === null ? null : createMediumAvatarUrl(url),
    avatar_source: user.avatarSource,
    avatar_version: user.avatarVersion,
  };
}

/**
 * Event of a changed real email address of an account, sent to users who can see that address. The event changes the
 * address, the field `email` and the Gravatar picture for these users.
 */
export const realmUserEmailEvent = defineEventType({
  name: 'realm_user/update_email',
  webhookOrder: 'type',
  audience: `${accountEventAudienceDescription} Users who cannot see its email address get no event.`,
  payload: avatarEventPayloadSchema,
  count: () => 3,
}).addVariant({
  type: 'realm_user',
  op: 'update',
  fields: { person: emailPersonSchema },
  render(user, { viewer, clientGravatar }) {
    if (!canViewerSeeEmail(viewer, user)) return null;
    const url = createAvatarUrl(viewer, user, clientGravatar);
    const picture = toAvatarPerson(user, url);
    return [
      { person: { user_id: user.id, delivery_email: user.deliveryEmail } },
      { person: { user_id: user.id, new_email: user.deliveryEmail } },
      ...(user.avatarSource === 'G' && url !== null ? [{ person: picture }] : []),
    ];
  },
});

/**
 * Event of a changed avatar (docs/contract/chat.md 3.4). The URL of an avatar that is not uploaded depends on the user
 * who receives the event.
 */
export const realmUserAvatarEvent = defineEventType({
  name: 'realm_user/update_avatar',
  webhookOrder: 'type',
  audience: accountEventAudienceDescription,
  payload: avatarEventPayloadSchema,
}).addVariant({
  type: 'realm_user',
  op: 'update',
  fields: { person: avatarPersonSchema },
  render: (user, { viewer, clientGravatar }) => ({
    person: toAvatarPerson(user, createAvatarUrl(viewer, user, clientGravatar)),
  }),
});

import { z } from 'zod';
import { createAvatarUrl, createMediumAvatarUrl } from '../access/avatar-url.js';
import { getDisplayedEmail, canViewerSeeEmail } from '../access/email-visibility.js';
import { defineEventType } from '../../events/define-event-type.js';

const eventUserIdSchema = z.int();

/** Schema of a change of an account's email address, in the form that other users see. */
export const changedEmailAddressPersonSchema = z.union([
  z.strictObject({ user_id: eventUserIdSchema, delivery_email: z.string().nullable() }),
  z.strictObject({ user_id: eventUserIdSchema, new_email: z.string() }),
  z.strictObject({
    user_id: eventUserIdSchema,
    avatar_url: z.string().nullable(),
    avatar_url_medium: z.string().nullable(),
    avatar_source: z.enum(['G', 'U']),
    avatar_version: z.int(),
  }),
]);

/**
 * Event of a changed visibility of a user's real email address. The change affects the visible address, the field
 * `email` and the avatar. Only users for whom the visible address changes receive the event.
 */
export const emailVisibilityEvent = defineEventType({
  name: 'realm_user/update_email_visibility',
  webhookOrder: 'type',
  audience: 'All users who can see the account, except those for whom the visible email address stays the same.',
  payload: z.strictObject({
    id: eventUserIdSchema,
    deliveryEmail: z.string(),
    isBot: z.boolean(),
    avatarSource: z.enum(['G', 'U']),
    avatarVersion: z.int(),
    before: z.int(),
    after: z.int(),
  }),
  count: () => 3,
}).addVariant({
  type: 'realm_user',
  op: 'update',
  fields: { person: changedEmailAddressPersonSchema },
  render({ before, after, ...user }, { viewer, clientGravatar }) {
    const was = { ...user, emailVisibility: before };
    const is = { ...user, emailVisibility: after };
    if (canViewerSeeEmail(viewer, was) === canViewerSeeEmail(viewer, is)) return null;
    const url = createAvatarUrl(viewer, is, clientGravatar);
    const picture = {
      user_id: user.id,
      avatar_url: url,
      avatar_url_medium: url === null ? null : createMediumAvatarUrl(url),
      avatar_source: user.avatarSource,
      avatar_version: user.avatarVersion,
    };
    return [
      { person: { user_id: user.id, delivery_email: canViewerSeeEmail(viewer, is) ? user.deliveryEmail : null } },
      { person: { user_id: user.id, new_email: getDisplayedEmail(viewer, is) } },
      ...(url === createAvatarUrl(viewer, was, clientGravatar) ? [] : [{ person: picture }]),
    ];
  },
});

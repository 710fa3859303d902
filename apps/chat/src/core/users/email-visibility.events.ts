import { z } from 'zod';
import { avatarUrl, mediumAvatarUrl } from '../access/avatar-url.js';
import { displayEmail, canSeeEmail } from '../access/email-visibility.js';
import { defineEvent } from '../../events/define-event-type.js';

const userId = z.int();

/** Schema of a change of the email address that other users see for an account. */
export const addressPerson = z.union([
  z.strictObject({ user_id: userId, delivery_email: z.string().nullable() }),
  z.strictObject({ user_id: userId, new_email: z.string() }),
  z.strictObject({
    user_id: userId,
    avatar_url: z.string().nullable(),
    avatar_url_medium: z.string().nullable(),
    avatar_source: z.enum(['G', 'U']),
    avatar_version: z.int(),
  }),
]);

/**
 * Event of a changed visibility of a user's real email address, which affects the shown address, the field `email` and
 * the avatar. Users for whom nothing changes receive no event.
 */
export const emailVisibilityEvent = defineEvent({
  name: 'realm_user/update_email_visibility',
  webhookOrder: 'type',
  audience: 'All users who can see the account, except those for whom the visible email address stays the same.',
  payload: z.strictObject({
    id: userId,
    deliveryEmail: z.string(),
    isBot: z.boolean(),
    avatarSource: z.enum(['G', 'U']),
    avatarVersion: z.int(),
    before: z.int(),
    after: z.int(),
  }),
  count: () => 3,
}).withVariant({
  type: 'realm_user',
  op: 'update',
  fields: { person: addressPerson },
  render({ before, after, ...user }, { viewer, clientGravatar }) {
    const was = { ...user, emailVisibility: before };
    const is = { ...user, emailVisibility: after };
    if (canSeeEmail(viewer, was) === canSeeEmail(viewer, is)) return null;
    const url = avatarUrl(viewer, is, clientGravatar);
    const picture = {
      user_id: user.id,
      avatar_url: url,
      avatar_url_medium: url === null ? null : mediumAvatarUrl(url),
      avatar_source: user.avatarSource,
      avatar_version: user.avatarVersion,
    };
    return [
      { person: { user_id: user.id, delivery_email: canSeeEmail(viewer, is) ? user.deliveryEmail : null } },
      { person: { user_id: user.id, new_email: displayEmail(viewer, is) } },
      ...(url === avatarUrl(viewer, was, clientGravatar) ? [] : [{ person: picture }]),
    ];
  },
});

import { z } from 'zod';
import { createAvatarUrl, createMediumAvatarUrl } from '../access/avatar-url.js';
import { getDisplayedEmail, canViewerSeeEmail } from '../access/email-visibility.js';
import { defineEventType, createPayloadDividerByLists } from '../../events/define-event-type.js';
import { changedEmailAddressPersonSchema } from './email-visibility.events.js';

const viewerRoleEventAccountSchema = z.strictObject({
  id: z.int(),
  deliveryEmail: z.string(),
  emailVisibility: z.int(),
  isBot: z.boolean(),
  avatarSource: z.enum(['G', 'U']),
  avatarVersion: z.int(),
});

/**
 * Event for a user whose role has changed. Contains the email addresses and avatars of the accounts for which the new
 * role changes the visible address.
 */
export const viewerRoleEvent = defineEventType({
  name: 'realm_user/update_viewer_role',
  audience: 'Only the user whose role changed.',
  payload: z.strictObject({ accounts: z.array(viewerRoleEventAccountSchema), from: z.int(), to: z.int() }),
  count: ({ accounts }) => 3 * accounts.length,
  divide: createPayloadDividerByLists('accounts'),
}).addVariant({
  type: 'realm_user',
  op: 'update',
  fields: { person: changedEmailAddressPersonSchema },
  render({ accounts, from, to }, { viewer, clientGravatar }) {
    const [before, now] = [
      { ...viewer, role: from },
      { ...viewer, role: to },
    ];
    return accounts.flatMap((user) => {
      const url = createAvatarUrl(now, user, clientGravatar);
      const picture = {
        user_id: user.id,
        avatar_url: url,
        avatar_url_medium: url === null ? null : createMediumAvatarUrl(url),
        avatar_source: user.avatarSource,
        avatar_version: user.avatarVersion,
      };
      return [
        { person: { user_id: user.id, delivery_email: canViewerSeeEmail(now, user) ? user.deliveryEmail : null } },
        { person: { user_id: user.id, new_email: getDisplayedEmail(now, user) } },
        ...(url === createAvatarUrl(before, user, clientGravatar) ? [] : [{ person: picture }]),
      ];
    });
  },
});

import { z } from 'zod';
import { userRoleNumbers } from '../../infra/http/chat-actor.js';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';

const invitedRoleParameter = z
  .literal([
    userRoleNumbers.owner,
    userRoleNumbers.administrator,
    userRoleNumbers.moderator,
    userRoleNumbers.member,
    userRoleNumbers.guest,
  ])
  .default(userRoleNumbers.member);

/**
 * Schema of the lifetime of an invitation in minutes. The default is ten days, the maximum is ten years, and null means
 * no expiry.
 */
const invitationLifetimeParameter = z.int().min(1).max(5_256_000).nullable().default(14_400);

const sharedInvitationParameters = {
  invite_expires_in_minutes: invitationLifetimeParameter,
  invite_as: invitedRoleParameter,
  include_realm_default_subscriptions: z.boolean().default(false),
  group_ids: z.array(z.int()).max(1000).default([]),
  welcome_message_custom_text: z.string().max(8000).nullable().optional(),
};

/** Parameters of POST /invites (docs/contract/chat.md 2.H). */
export const emailInvitationParameters = defineParameters(
  z.object({
    invitee_emails: z.string().max(100_000),
    stream_ids: z.array(z.int()).max(1000),
    notify_referrer_on_join: z.boolean().default(true),
    ...sharedInvitationParameters,
  }),
);

/** Parameters of the request POST /invites/multiuse, which creates a reusable invitation link. */
export const reusableInvitationLinkParameters = defineParameters(
  z.object({ stream_ids: z.array(z.int()).max(1000).default([]), ...sharedInvitationParameters }),
);

/** Definition of an empty parameter list, for endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

const commonInvitationFields = {
  id: z.int(),
  invited_by_user_id: z.int(),
  invited: z.int().meta({ description: 'UNIX time in seconds' }),
  expiry_date: z.int().nullable().meta({ description: 'UNIX time in seconds; null for never' }),
  invited_as: z.int(),
  notify_referrer_on_join: z.boolean(),
};

/** Schema of an invitation in the API (docs/contract/chat.md 2.A). */
const wireInvitationSchema = z.union([
  z.strictObject({ ...commonInvitationFields, is_multiuse: z.literal(false), email: z.string() }),
  z.strictObject({ ...commonInvitationFields, is_multiuse: z.literal(true), link_url: z.string() }),
]);

export type WireInvitation = z.infer<typeof wireInvitationSchema>;

/** Response body of the request GET /invites, which lists invitations. */
export const invitationListResponseBody = createSuccessBodySchema({ invites: z.array(wireInvitationSchema) });
export const invitationLinkResponseBody = createSuccessBodySchema({ invite_link: z.string() });
export const emptySuccessResponseBody = createSuccessBodySchema({});

/** Path parameters of the endpoints for one invitation: the id of the invitation. */
export const invitationPathParameters = z.object({ invite_id: z.int() });

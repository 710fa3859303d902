import { z } from 'zod';
import { userRoleNumbers } from '../../infra/http/chat-actor.js';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { sentProfileValueSchema } from '../profile-fields/index.js';

const roleNumberSchema = z.literal([
  userRoleNumbers.owner,
  userRoleNumbers.administrator,
  userRoleNumbers.moderator,
  userRoleNumbers.member,
  userRoleNumbers.guest,
]);

/** Parameters of PATCH /users/{user_id_or_email} (chat-4.3). */
export const updateUserParameters = defineParameters(
  z.object({
    full_name: z.string().optional(),
    role: roleNumberSchema.optional(),
    profile_data: z.array(sentProfileValueSchema).optional(),
    new_email: z.string().optional(),
  }),
);

/** Parameters of POST /users (docs/contract/chat.md 2.F). */
export const createUserParameters = defineParameters(
  z.object({ email: z.string(), password: z.string(), full_name: z.string() }),
);

export const createUserResponseBody = createSuccessBodySchema({ user_id: z.int() });

/** Parameters of DELETE /users/{user_id} (docs/contract/chat.md 2.F). */
export const deactivateUserParameters = defineParameters(
  z.object({
    deactivation_notification_comment: z.string().max(2000).optional(),
    actions: z
      .strictObject({
        delete_profile: z.boolean().optional(),
        delete_public_channel_messages: z.boolean().optional(),
        delete_private_channel_messages: z.boolean().optional(),
        delete_direct_messages: z.boolean().optional(),
      })
      .optional(),
  }),
);

/** Schema of the success response of endpoints that return no data. */
export const emptySuccessResponseBody = createSuccessBodySchema({});

/** Schema of the request parameters of endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

/** Schema of the path parameter that identifies an account by id. */
export const userIdPathParameters = z.object({ user_id: z.int() });

/** Schema of the path parameter that identifies an account by id or email address. */
export const userIdOrEmailParameters = z.object({ user_id_or_email: z.string() });

import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { wireUserSchema } from '../../core/users/index.js';

const userResponseOptionParameters = {
  client_gravatar: z.boolean().default(true),
  include_custom_profile_fields: z.boolean().default(false),
};

/** Parameters of GET /users (chat-4.5). */
export const listUsersParameters = defineParameters(
  z.object({ ...userResponseOptionParameters, user_ids: z.array(z.int()).optional() }),
);

export const listUsersResponseBody = createSuccessBodySchema({ members: z.array(wireUserSchema) });

/** Parameters of GET /users/{user_id_or_email} (chat-4.6). */
export const getUserParameters = defineParameters(z.object(userResponseOptionParameters));

export const userResponseBody = createSuccessBodySchema({ user: wireUserSchema });

/** Schema of the request parameters of endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

/** Response of GET /users/me: the user's fields at the top level (docs/contract/chat.md 2.F). */
export const ownUserResponseBody = createSuccessBodySchema({
  ...wireUserSchema.shape,
  max_message_id: z.int().meta({ description: '-1 if there is none' }),
});

/** Schema of the path parameter that identifies an account by id or email address. */
export const userIdOrEmailParameters = z.object({ user_id_or_email: z.string() });

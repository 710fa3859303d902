import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { userStatusResponseSchema } from './wire-user-status.js';

const userStatusParameterSchemas = {
  status_text: z.string().optional().meta({ description: 'At most 60 characters; empty for none' }),
  emoji_name: z.string().optional().meta({ description: 'Empty for none' }),
  emoji_code: z.string().optional(),
  reaction_type: z.string().optional(),
};

/** Parameters of POST /users/me/status (chat-4.10). */
export const setOwnStatusParameters = defineParameters(
  z.object({
    ...userStatusParameterSchemas,
    away: z.boolean().optional().meta({ deprecated: true, description: 'The opposite of presence_enabled' }),
  }),
);

/** Parameters of POST /users/{user_id}/status (docs/contract/chat.md 2.F). */
export const setUserStatusParameters = defineParameters(z.object(userStatusParameterSchemas));

export const userStatusResponseBody = createSuccessBodySchema({ status: userStatusResponseSchema });

/** Schema of the success response of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});

/** Schema of the request parameters of endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

/** Schema of the path parameter that identifies an account by id. */
export const userIdPathParameters = z.object({ user_id: z.int() });

import { z } from 'zod';
import { defineParameters } from '../../infra/http/parameters.js';

/** Form fields of the invitation page: an email address to confirm, or a name and a password. */
export const invitationPageFormParameters = defineParameters(
  z.object({
    email: z.string().max(1000).optional(),
    full_name: z.string().max(1000).optional(),
    password: z.string().max(1000).optional(),
    default_stream_group: z
      .string()
      .max(1000)
      .optional()
      .meta({ description: 'Name of a default channel group whose channels the user joins too' }),
  }),
);

/** Schema of the request parameters of the invitation page, which accepts no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

export const invitationPagePathParameters = z.object({ token: z.string() });

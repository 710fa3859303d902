import { z } from 'zod';
import { defineParameters } from '../../infra/http/parameters.js';

/** Fields of the invitation page: an email address to confirm, or a name and a password. */
export const joinParameters = defineParameters(
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

/** Empty parameters of the invitation page. */
export const noParameters = defineParameters(z.object({}));

/** Path parameters of the invitation page. */
export const joinPathParameters = z.object({ token: z.string() });

import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { presenceMapSchema } from './presence-formats.js';

/** Default maximum age in days of the presences in presence lists (chat-8-7). */
export const presenceHistoryDays = 14;

/** Parameters of POST /users/me/presence (docs/contract/chat.md 2.F). */
export const reportPresenceParameters = defineParameters(
  z.object({
    status: z.string().meta({ description: '`active` or `idle`' }),
    last_update_id: z
      .int()
      .min(-1)
      .optional()
      .meta({ description: 'Returns the presence that changed after this id; -1 for all' }),
    history_limit_days: z.int().min(0).max(3650).default(presenceHistoryDays),
    new_user_input: z.boolean().default(false),
    ping_only: z.boolean().default(false),
    slim_presence: z.boolean().default(false),
  }),
);

export const reportPresenceResponseBody = createSuccessBodySchema({
  presence_last_update_id: z.int(),
  server_timestamp: z.number(),
  presences: presenceMapSchema.optional().meta({ description: 'Absent with ping_only' }),
});

export const realmPresenceResponseBody = createSuccessBodySchema({
  server_timestamp: z.number(),
  presences: presenceMapSchema,
});

const clientPresenceSchema = z.strictObject({ status: z.enum(['active', 'idle', 'offline']), timestamp: z.int() });

export const userPresenceResponseBody = createSuccessBodySchema({
  presence: z.strictObject({ aggregated: clientPresenceSchema, website: clientPresenceSchema }),
});

/** Schema of the request parameters of endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

/** Schema of the path parameter that identifies an account by id or email address. */
export const presenceUserPathParameters = z.object({ user_id_or_email: z.string() });

import { z } from 'zod';
import { clientCapabilitiesSchema } from '../../events/event-queue-options.js';
import type { SnapshotFormat } from '../../events/snapshot-context.js';
import { defineParameters } from '../../infra/http/parameters.js';

// The lists are limited, because Redis stores them with the queue and each event is matched against them.
const eventTypesParameterSchema = z.array(z.string().max(100)).max(500);
const sentNarrowOperandSchema = z.string().max(1_000);
const sentNarrowTermSchema = z.tuple([sentNarrowOperandSchema, sentNarrowOperandSchema]);

/** Parameters of POST /register (chat-4.20, docs/contract/chat.md 2.B). */
export const registerEventQueueParameters = defineParameters(
  z.object({
    apply_markdown: z.boolean().default(false),
    client_gravatar: z.boolean().optional().meta({ description: 'True by default; false without an account' }),
    include_subscribers: z
      .enum(['true', 'false', 'partial', 'True', 'False', '"partial"'])
      .default('false')
      .transform(includeSubscribersParameter),
    slim_presence: z.boolean().default(false),
    presence_history_limit_days: z.int().nonnegative().default(14),
    event_types: eventTypesParameterSchema.nullish(),
    fetch_event_types: eventTypesParameterSchema.nullish(),
    all_public_streams: z.boolean().default(false),
    client_capabilities: clientCapabilitiesSchema.prefault({}),
    narrow: z.array(sentNarrowTermSchema).max(100).default([]),
    idle_queue_timeout: z
      .string()
      .regex(/^(-?\d{1,15}|"?mobile"?)$/)
      .optional()
      .meta({ description: 'A number of seconds, or mobile' }),
    last_known: z
      .object({ queue_id: z.string().max(100), last_event_id: z.int() })
      .optional()
      .meta({
        description:
          "The client's former event queue, and the last of its events that the client has applied, to get the changes since then in place of the state. All other parameters must be as in the registration of that queue",
      }),
    lifespan_secs: z.int().default(0).meta({ description: 'Older name of idle_queue_timeout; 0 is unset' }),
  }),
);

/**
 * Parses the request parameter `include_subscribers`: `true` or `false` in any letter case. Any other text means
 * `partial`.
 */
function includeSubscribersParameter(sent: string): SnapshotFormat['include_subscribers'] {
  const word = sent.toLowerCase();
  return word === 'true' || word === 'false' ? word : 'partial';
}

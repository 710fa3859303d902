import { z } from 'zod';
import { clientCapabilities, queueNarrowTerm } from '../../events/queue-options.js';
import type { SnapshotForm } from '../../events/snapshot-context.js';
import { defineParameters } from '../../http/parameters.js';

/** POST /register (chat.md 4.20, chat-contract 2.B). */
export const registerParameters = defineParameters(
  z.object({
    apply_markdown: z.boolean().default(false),
    client_gravatar: z.boolean().optional().meta({ description: 'True unless told, without an account false' }),
    include_subscribers: z
      .enum(['true', 'false', 'partial', 'True', 'False', '"partial"'])
      .default('false')
      .transform(subscribersForm),
    slim_presence: z.boolean().default(false),
    presence_history_limit_days: z.int().nonnegative().default(14),
    event_types: z.array(z.string()).nullish(),
    fetch_event_types: z.array(z.string()).nullish(),
    all_public_streams: z.boolean().default(false),
    client_capabilities: clientCapabilities.prefault({}),
    narrow: z.array(queueNarrowTerm).default([]),
    idle_queue_timeout: z
      .string()
      .regex(/^(-?\d{1,15}|"?mobile"?)$/)
      .optional()
      .meta({ description: 'Seconds, or mobile' }),
    lifespan_secs: z.int().default(0).meta({ description: 'Older name of idle_queue_timeout; 0 is unset' }),
  }),
);

/** Clients send a word, or Python's way to write a boolean, or the word as JSON. */
function subscribersForm(sent: string): SnapshotForm['include_subscribers'] {
  const word = sent.toLowerCase();
  return word === 'true' || word === 'false' ? word : 'partial';
}

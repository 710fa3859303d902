import { z } from 'zod';

/** Schema of the metadata of an event webhook, which the webhook package stores without interpreting it. */
export const eventWebhookMetadata = z.object({
  /** Id of the administrator who created the webhook. It receives the events that this user may see. */
  userId: z.int(),
  /** Conditions on events about messages: operators and operands, as in POST /register. */
  narrow: z.array(z.tuple([z.string(), z.string()])),
  /** True if messages are sent as HTML, false for Markdown. */
  applyMarkdown: z.boolean(),
});

/** Parsed values of {@link eventWebhookMetadata}. */
export type EventWebhookMetadata = z.infer<typeof eventWebhookMetadata>;

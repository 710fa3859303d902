import { z } from 'zod';

/** Schema of the metadata of an event webhook, which the webhook package stores without interpretation. */
export const eventWebhookMetadataSchema = z.object({
  /** Id of the administrator who created the webhook. The webhook receives the events that this user may see. */
  userId: z.int(),
  /**
   * Filter conditions for events about messages. Each condition is an operator and an operand, in the form that POST
   * /register uses.
   */
  narrow: z.array(z.tuple([z.string(), z.string()])),
  /** True if the webhook receives message contents as HTML, false if it receives Markdown. */
  applyMarkdown: z.boolean(),
});

/** Parsed values of {@link eventWebhookMetadataSchema}. */
export type EventWebhookMetadata = z.infer<typeof eventWebhookMetadataSchema>;

import { z } from 'zod';
import { defineWebhookFormat, defineWebhookEvent } from '../define-webhook-format.js';
import { formatCodeBlock } from '../format-payload-text.js';

/**
 * Maximum number of payload characters that a message shows. The limit leaves enough characters for the end of the code
 * block.
 */
const maxShownJsonLength = 9_900;

/** Webhook format for any JSON payload. The message shows the payload. */
export const jsonFormat = defineWebhookFormat({
  name: 'json',
  displayName: 'JSON',
  sender: 'JSON',
  documentation: 'https://www.rfc-editor.org/rfc/rfc8259',
  payload: z.unknown(),
  isFiltered: false,
  route: ({ payload }) => [{ event: 'payload', payload }],
  events: {
    payload: defineWebhookEvent({
      payload: z.unknown(),
      topic: 'JSON',
      text(payload) {
        const text = JSON.stringify(payload, null, 2);
        return formatCodeBlock(
          text.length <= maxShownJsonLength ? text : `${text.slice(0, maxShownJsonLength - 2)}\n…`,
          'json',
        );
      },
    }),
  },
});

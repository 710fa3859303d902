import { z } from 'zod';
import { defineWebhookFormat, webhookEvent } from '../define-webhook-format.js';
import { codeBlock } from '../format-payload-text.js';

/**
 * Maximum number of characters of the payload that a message shows, so that the message also contains the end of the
 * code block.
 */
const maxShownLength = 9_900;

/** Format for any JSON payload. The message shows the payload. */
export const json = defineWebhookFormat({
  name: 'json',
  displayName: 'JSON',
  sender: 'JSON',
  documentation: 'https://www.rfc-editor.org/rfc/rfc8259',
  payload: z.unknown(),
  isFiltered: false,
  route: ({ payload }) => [{ event: 'payload', payload }],
  events: {
    payload: webhookEvent({
      payload: z.unknown(),
      topic: 'JSON',
      text(payload) {
        const text = JSON.stringify(payload, null, 2);
        return codeBlock(text.length <= maxShownLength ? text : `${text.slice(0, maxShownLength - 2)}\n…`, 'json');
      },
    }),
  },
});

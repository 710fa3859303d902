import { z } from 'zod';
import { defineFormat, webhookEvent } from '../define-format.js';
import { codeBlock } from '../payload-text.js';

/** Maximum number of characters of a payload that is shown, so that the end of the code block is part of the message. */
const maxShownLength = 9_900;

/** Format of any JSON: the message shows the payload. */
export const json = defineFormat({
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

import { z } from 'zod';
import { defineEvent } from '../../events/event-type.js';

const fields = { value: z.boolean() };

/**
 * The user can, or can no longer, make Zoom calls (docs/contract/chat.md 3.4); older clients know it by another name.
 */
export const hasZoomTokenEvent = defineEvent({
  name: 'has_zoom_token',
  audience: 'Only the user who owns the token.',
  payload: z.strictObject(fields),
})
  .as({ type: 'has_zoom_token', fields, render: (change) => change })
  .as({ type: 'has_vcall_token', fields, render: (change) => change });

/** The events of this module. */
export const videoCallEvents = [hasZoomTokenEvent];

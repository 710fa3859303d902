import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';

const tokenPresenceEventFields = { value: z.boolean() };

/**
 * Event sent to a user who connected or disconnected a Zoom account (docs/contract/chat.md 3.4). Older clients receive
 * the event under another name.
 */
export const zoomTokenChangedEvent = defineEventType({
  name: 'has_zoom_token',
  audience: 'Only the user who owns the token.',
  payload: z.strictObject(tokenPresenceEventFields),
})
  .addVariant({ type: 'has_zoom_token', fields: tokenPresenceEventFields, render: (change) => change })
  .addVariant({ type: 'has_vcall_token', fields: tokenPresenceEventFields, render: (change) => change });

/** Event sent to a user who connected or disconnected a Webex account. */
export const webexTokenChangedEvent = defineEventType({
  name: 'has_webex_token',
  audience: 'Only the user who owns the token.',
  payload: z.strictObject(tokenPresenceEventFields),
}).addVariant({ type: 'has_webex_token', fields: tokenPresenceEventFields, render: (change) => change });

/** List of all event types of the video call feature. */
export const videoCallEvents = [zoomTokenChangedEvent, webexTokenChangedEvent];

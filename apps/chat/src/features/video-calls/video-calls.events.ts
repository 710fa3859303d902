import { z } from 'zod';
import { defineEvent } from '../../events/define-event-type.js';

const videoCallsEventFields = { value: z.boolean() };

/**
 * Event sent to a user who connected or disconnected a Zoom account (docs/contract/chat.md 3.4). Older clients receive
 * the event under another name.
 */
export const hasZoomTokenEvent = defineEvent({
  name: 'has_zoom_token',
  audience: 'Only the user who owns the token.',
  payload: z.strictObject(videoCallsEventFields),
})
  .withVariant({ type: 'has_zoom_token', fields: videoCallsEventFields, render: (change) => change })
  .withVariant({ type: 'has_vcall_token', fields: videoCallsEventFields, render: (change) => change });

/** Event sent to a user who connected or disconnected a Webex account. */
export const hasWebexTokenEvent = defineEvent({
  name: 'has_webex_token',
  audience: 'Only the user who owns the token.',
  payload: z.strictObject(videoCallsEventFields),
}).withVariant({ type: 'has_webex_token', fields: videoCallsEventFields, render: (change) => change });

/** List of all event types of the video call feature. */
export const videoCallEvents = [hasZoomTokenEvent, hasWebexTokenEvent];

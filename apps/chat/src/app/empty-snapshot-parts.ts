import { z } from 'zod';
import { defineSnapshotPart, type SnapshotPart } from '../events/snapshot-part.js';

const nothing = z.array(z.never());

/**
 * Fields of what this server does not keep: clients insist on most of them, so each is there with the value that means
 * "none" (docs/contract/chat.md 4.2 and 4.5). By fetch type: name, schema, value. A module that begins to keep one of
 * them takes its line out of here and declares a part of its own.
 */
const fields = {
  default_stream_groups: { realm_default_stream_groups: [nothing, []] },
  scheduled_messages: { scheduled_messages: [nothing, []] },
  reminders: { reminders: [nothing, []], max_reminder_note_length: [z.int(), 500] },
  onboarding_steps: { onboarding_steps: [nothing, []], navigation_tour_video_url: [z.string().nullable(), null] },
  realm_embedded_bots: { realm_embedded_bots: [nothing, []] },
  realm_incoming_webhook_bots: { realm_incoming_webhook_bots: [nothing, []] },
  realm_playgrounds: { realm_playgrounds: [nothing, []] },
  stop_words: { stop_words: [nothing, []] },
  giphy: { giphy_api_key: [z.string(), ''] },
  tenor: { tenor_api_key: [z.string(), ''] },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly [z.ZodType, unknown]>>>>;

/** The parts of fetch types that have nothing to tell yet. */
export const emptySnapshotParts: readonly SnapshotPart[] = Object.entries(fields).map(([type, byName]) =>
  emptyPart(type, byName),
);

function emptyPart(type: string, byName: Readonly<Record<string, readonly [z.ZodType, unknown]>>): SnapshotPart {
  const declared = Object.entries(byName);
  const values = Object.fromEntries(declared.map(([name, [, value]]) => [name, value]));
  return defineSnapshotPart({
    types: [type],
    shape: Object.fromEntries(declared.map(([name, [schema]]) => [name, schema])),
    read: () => values,
  });
}

import { z } from 'zod';
import { defineSnapshotPart, type SnapshotPart } from '../events/snapshot-part.js';

const emptyList = z.array(z.never());

/**
 * Snapshot fields of features that this server does not have. Clients require most of them, so each has an empty value
 * (docs/contract/chat.md 4.2 and 4.5). Entries are grouped by fetch type, with name, schema and value. A slice that
 * implements such a feature removes its line here and defines a snapshot part.
 */
const emptyFieldsByType = {
  scheduled_messages: { scheduled_messages: [emptyList, []] },
  reminders: { reminders: [emptyList, []], max_reminder_note_length: [z.int(), 500] },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly [z.ZodType, unknown]>>>>;

/** Snapshot parts of {@link emptyFieldsByType}, whose values are constant. */
export const emptySnapshotParts: readonly SnapshotPart[] = Object.entries(emptyFieldsByType).map(([type, byName]) =>
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

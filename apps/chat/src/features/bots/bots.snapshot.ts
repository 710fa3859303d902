import { z } from 'zod';
import { defineSnapshotPart } from '../../events/snapshot-part.js';

const embeddedBot = z
  .strictObject({ name: z.string(), config: z.record(z.string(), z.string()) })
  .meta({ id: 'EmbeddedBot' });

/** Snapshot part of the bots that run inside the server. This server runs none. */
const embeddedBotsPart = defineSnapshotPart({
  types: ['realm_embedded_bots'],
  shape: { realm_embedded_bots: z.array(embeddedBot) },
  read: () => ({ realm_embedded_bots: [] }),
});

/** Snapshot parts of bots other than their accounts. */
export const botSnapshotParts = [embeddedBotsPart];

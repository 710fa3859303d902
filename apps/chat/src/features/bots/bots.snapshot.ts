import { z } from 'zod';
import { defineSnapshotPart } from '../../events/define-snapshot-part.js';

const embeddedBotSchema = z
  .strictObject({ name: z.string(), config: z.record(z.string(), z.string()) })
  .meta({ id: 'EmbeddedBot' });

/**
 * Part of the POST /register response with embedded bots, which run inside a server. Clients offer the listed bots when
 * a user creates a bot of type 4. The list is empty, because this server cannot run such bots.
 */
const embeddedBotsSnapshotPart = defineSnapshotPart({
  types: ['realm_embedded_bots'],
  shape: { realm_embedded_bots: z.array(embeddedBotSchema) },
  read: () => ({ realm_embedded_bots: [] }),
});

/** Parts of the POST /register response about bots, except the accounts of the bots. */
export const botSnapshotParts = [embeddedBotsSnapshotPart];

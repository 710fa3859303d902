import type { ScaleApp } from '../app.js';
import { chatFigures } from './figures.js';
import { ChatIds } from './ids.js';
import { bulkOperations } from './operations/bulk.js';
import { deletionOperations } from './operations/deletions.js';
import { listOperations } from './operations/lists.js';
import { pageOperations } from './operations/message-pages.js';
import { sendOperations } from './operations/sends.js';
import { channel, person } from './people.js';
import { chatSizes } from './chat-sizes.js';
import { chatStatementsBeforeStart, chatCompletionStatements, chatTables, fillVersion } from './tables.js';
import { ChatWorld } from './chat-world.js';

/** The chat service for `test:scale`, with a realm of 300, 2,000 or 20,000 users. */
export const chatScale: ScaleApp<ChatWorld> = {
  name: 'chat',
  // Retention runs so often that an operation can wait for the deletion of expired messages.
  env: { RATE_LIMIT_API_BY_USER: 'off', RETENTION_PERIOD_MS: '5000' },
  fillVersion,
  preparation: [
    ['create-realm', '--name', 'Scale', '--host', '127.0.0.1'],
    ['create-owner', '--email', 'owner@example.com', '--full-name', 'Owner', '--password', 'Benchmark-password-1'],
  ],
  fill: async (client, size) => ({
    tables: chatTables(await ChatIds.read(client, chatSizes[size])),
    completion: chatCompletionStatements,
  }),
  beforeStart: chatStatementsBeforeStart,
  open: (deployment, size) => ChatWorld.open(deployment, size),
  bystander: (world) => world.repeatedMessage(person.bystander, channel.long, 'talk'),
  operations: [...pageOperations, ...listOperations, ...sendOperations, ...bulkOperations, ...deletionOperations],
  figures: chatFigures,
};

import type { ScaleApp } from '../scale-app.js';
import { chatFigures } from './chat-figures.js';
import { ChatIds } from './generated-chat-ids.js';
import { bulkOperations } from './operations/bulk-operations.js';
import { deletionOperations } from './operations/deletion-operations.js';
import { listOperations } from './operations/list-operations.js';
import { pageOperations } from './operations/message-page-operations.js';
import { sendOperations } from './operations/send-operations.js';
import { specialChannelNumbers, specialUserNumbers } from './generated-users.js';
import { chatSizes } from './chat-sizes.js';
import {
  chatStatementsBeforeStart,
  chatCompletionStatements,
  chatTables,
  chatFillVersion,
} from './generated-chat-tables.js';
import { MeasuredChatService } from './measured-chat-service.js';

/** Scale test (`test:scale`) of the chat service, with realms of 300, 2,000 and 20,000 users. */
export const chatScale: ScaleApp<MeasuredChatService> = {
  name: 'chat',
  // Retention runs so often that an operation can wait for the deletion of expired messages.
  env: { RATE_LIMIT_API_BY_USER: 'off', RETENTION_PERIOD_MS: '5000' },
  fillVersion: chatFillVersion,
  preparation: [
    ['create-realm', '--name', 'Scale', '--host', '127.0.0.1'],
    ['create-owner', '--email', 'owner@example.com', '--full-name', 'Owner', '--password', 'Benchmark-password-1'],
  ],
  fill: async (client, size) => ({
    tables: chatTables(await ChatIds.read(client, chatSizes[size])),
    completion: chatCompletionStatements,
  }),
  beforeStart: chatStatementsBeforeStart,
  open: (deployment, size) => MeasuredChatService.open(deployment, size),
  bystander: (world) => world.repeatedMessage(specialUserNumbers.bystander, specialChannelNumbers.long, 'talk'),
  operations: [...pageOperations, ...listOperations, ...sendOperations, ...bulkOperations, ...deletionOperations],
  figures: chatFigures,
};

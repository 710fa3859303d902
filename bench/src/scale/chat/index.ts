import type { ScaleTestedService } from '../scale-app.js';
import { chatOperationLimits } from './chat-figures.js';
import { GeneratedChatIds } from './generated-chat-ids.js';
import { chatBulkOperations } from './operations/bulk-operations.js';
import { messageDeletionOperations } from './operations/deletion-operations.js';
import { registrationAndListOperations } from './operations/list-operations.js';
import { messagePageOperations } from './operations/message-page-operations.js';
import { messageSendOperations } from './operations/send-operations.js';
import { specialChannelNumbers, specialUserNumbers } from './generated-users.js';
import { generatedChatSizes } from './chat-sizes.js';
import {
  chatStatementsBeforeServiceStart,
  chatTableCompletionStatements,
  createChatTables,
  chatDatabaseFillVersion,
} from './generated-chat-tables.js';
import { MeasuredChatService } from './measured-chat-service.js';

/** Scale test (`test:scale`) of the chat service, with realms of 300, 2,000 and 20,000 users. */
export const chatScaleTest: ScaleTestedService<MeasuredChatService> = {
  name: 'chat',
  // Retention runs so often that an operation can wait for the deletion of expired messages.
  env: { RATE_LIMIT_API_BY_USER: 'off', RETENTION_PERIOD_MS: '5000' },
  fillVersion: chatDatabaseFillVersion,
  preparation: [
    ['create-realm', '--name', 'Scale', '--host', '127.0.0.1'],
    ['create-owner', '--email', 'owner@example.com', '--full-name', 'Owner', '--password', 'Benchmark-password-1'],
  ],
  fill: async (client, size) => ({
    tables: createChatTables(await GeneratedChatIds.readCreatedRealmIds(client, generatedChatSizes[size])),
    completion: chatTableCompletionStatements,
  }),
  beforeStart: chatStatementsBeforeServiceStart,
  open: (deployment, size) => MeasuredChatService.openForDeployment(deployment, size),
  bystander: (world) =>
    world.createRepeatedMessageRequest(specialUserNumbers.bystander, specialChannelNumbers.long, 'talk'),
  operations: [
    ...messagePageOperations,
    ...registrationAndListOperations,
    ...messageSendOperations,
    ...chatBulkOperations,
    ...messageDeletionOperations,
  ],
  figures: chatOperationLimits,
};

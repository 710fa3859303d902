import { z } from 'zod';
import { snapshotShape } from '../../events/snapshot-part.js';
import { snapshotParts } from '../slices.js';
import { successBody } from '../../infra/http/envelope.schemas.js';
import { versionFields } from '../../core/realms/index.js';

/** Response fields of POST /register that are present only if their fetch type was requested. */
const registerResponseFetchedSchema = z.object(snapshotShape(snapshotParts)).partial();

/** Response of POST /register (docs/contract/chat.md 4). */
export const registerBody = successBody({
  queue_id: z.string().nullable().meta({ description: 'Null for requests without an account, which get no queue' }),
  last_event_id: z.int(),
  ...versionFields,
  idle_queue_timeout_secs: z.int(),
  ...registerResponseFetchedSchema.shape,
});

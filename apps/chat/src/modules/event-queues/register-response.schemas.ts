import { z } from 'zod';
import { successBody } from '../../http/envelope.schemas.js';
import { realmBlockShape, versionFields } from '../realms/index.js';
import { botsShape } from './snapshot/bots.js';
import { channelsShape } from './snapshot/channels.js';
import { emptyShape } from './snapshot/empty-fields.js';
import { historyShape } from './snapshot/history.js';
import { settingsFieldsShape } from './snapshot/own.js';
import { peopleShape } from './snapshot/people.js';

/** What depends on the types that were fetched. */
const fetched = z
  .object({
    ...realmBlockShape,
    ...peopleShape,
    ...channelsShape,
    ...historyShape,
    ...settingsFieldsShape,
    ...botsShape,
    ...emptyShape,
  })
  .partial();

/** The answer of POST /register (chat-contract 4). */
export const registerBody = successBody({
  queue_id: z.string(),
  last_event_id: z.int(),
  ...versionFields,
  idle_queue_timeout_secs: z.int(),
  ...fetched.shape,
});

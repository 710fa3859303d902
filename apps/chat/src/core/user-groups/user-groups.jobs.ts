import type { Database } from '@switchboard/database';
import { defineJob } from '@switchboard/queue';
import { z } from 'zod';
import type { ChatEvents } from '../../events/chat-events.js';
import type { SliceJobs } from '../../events/define-feature-slice.js';
import { promoteMembers } from './promote-new-members.js';

/** Periodic job that promotes members to full members after their waiting period (docs/contract/chat.md 6.2). */
const promoteMembersJob = defineJob({
  name: 'members.promote',
  payload: z.strictObject({}),
  attempts: 3,
  repeat: { everyMs: 300_000, payload: {} },
});

/** Returns the periodic jobs of user groups, with their handlers. */
export function userGroupJobs({
  database,
  events,
}: {
  readonly database: Database;
  readonly events: ChatEvents;
}): SliceJobs {
  return {
    definitions: [promoteMembersJob],
    attach(jobs) {
      jobs.handle(promoteMembersJob, () => promoteMembers(database.background('member promotion'), events));
    },
  };
}

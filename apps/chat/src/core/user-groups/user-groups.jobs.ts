import type { Database } from '@switchboard/database';
import { defineJob } from '@switchboard/queue';
import { z } from 'zod';
import type { ChatEventWriter } from '../../events/chat-events.js';
import type { FeatureModuleJobs } from '../../events/define-feature-slice.js';
import { promoteMembersToFullMembers } from './promote-new-members.js';

/** Periodic job that promotes members to full members after their waiting period (docs/contract/chat.md 6.2). */
const promoteMembersJob = defineJob({
  name: 'members.promote',
  payload: z.strictObject({}),
  attempts: 3,
  repeat: { everyMs: 300_000, payload: {} },
});

/** Returns the periodic jobs of user groups, with their handlers. */
export function createUserGroupJobs({
  database,
  events,
}: {
  readonly database: Database;
  readonly events: ChatEventWriter;
}): FeatureModuleJobs {
  return {
    definitions: [promoteMembersJob],
    attach(jobs) {
      jobs.handle(promoteMembersJob, () =>
        promoteMembersToFullMembers(database.background('member promotion'), events),
      );
    },
  };
}

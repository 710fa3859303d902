import { defineSlice } from '../../events/define-feature-slice.js';
import { ChangeGroupMembers } from './change-members.action.js';
import { CreateGroup } from './create-group.action.js';
import { DeactivateGroup } from './deactivate-group.action.js';
import { ReadGroupsController } from './read-groups.controller.js';
import { ReadGroups } from './read-groups.query.js';
import { UpdateGroup } from './update-group.action.js';
import { UserGroupsController } from './user-groups.controller.js';
import { userGroupEvents } from './user-groups.events.js';
import { userGroupJobs } from './user-groups.jobs.js';
import { userGroupSnapshotParts } from './user-groups.snapshot.js';

/** Feature module (slice) that provides the endpoints, events, response parts and jobs of user groups. */
export const userGroupsSlice = defineSlice('user-groups', {
  controllers: [ReadGroupsController, UserGroupsController],
  providers: [ChangeGroupMembers, CreateGroup, DeactivateGroup, ReadGroups, UpdateGroup],
  events: userGroupEvents,
  snapshotParts: userGroupSnapshotParts,
  jobs: userGroupJobs,
});

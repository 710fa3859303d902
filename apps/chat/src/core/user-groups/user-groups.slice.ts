import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { ChangeUserGroupMembers } from './change-members.action.js';
import { CreateUserGroup } from './create-group.action.js';
import { DeactivateUserGroup } from './deactivate-group.action.js';
import { ReadUserGroupsController } from './read-groups.controller.js';
import { ReadUserGroups } from './read-groups.query.js';
import { UpdateUserGroup } from './update-group.action.js';
import { UserGroupsController } from './user-groups.controller.js';
import { userGroupEventTypes } from './user-groups.events.js';
import { createUserGroupJobs } from './user-groups.jobs.js';
import { userGroupSnapshotParts } from './user-groups.snapshot.js';

/** Feature module (slice) that provides the endpoints, events, response parts and jobs of user groups. */
export const userGroupsFeatureModule = defineFeatureModule('user-groups', {
  controllers: [ReadUserGroupsController, UserGroupsController],
  providers: [ChangeUserGroupMembers, CreateUserGroup, DeactivateUserGroup, ReadUserGroups, UpdateUserGroup],
  events: userGroupEventTypes,
  snapshotParts: userGroupSnapshotParts,
  jobs: createUserGroupJobs,
});

import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { SetUserTopicPolicy } from './set-user-topic.action.js';
import { UserTopicsController } from './user-topics.controller.js';
import { userTopicPolicyEventTypes } from './user-topics.events.js';

/** Feature module (slice) of topic visibility policies: its endpoints and events. */
export const userTopicsFeatureModule = defineFeatureModule('user-topics', {
  controllers: [UserTopicsController],
  providers: [SetUserTopicPolicy],
  events: userTopicPolicyEventTypes,
});

import { defineSlice } from '../../events/define-feature-slice.js';
import { SetUserTopic } from './set-user-topic.action.js';
import { UserTopicsController } from './user-topics.controller.js';
import { userTopicEvents } from './user-topics.events.js';

/** Feature module (slice) of topic visibility policies: its endpoints and events. */
export const userTopicsSlice = defineSlice('user-topics', {
  controllers: [UserTopicsController],
  providers: [SetUserTopic],
  events: userTopicEvents,
});

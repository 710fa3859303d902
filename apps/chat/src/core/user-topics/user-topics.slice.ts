import { defineSlice } from '../../events/define-slice.js';
import { SetUserTopic } from './set-user-topic.action.js';
import { UserTopicsController } from './user-topics.controller.js';
import { userTopicEvents } from './user-topics.events.js';

/** The slice of user topics: endpoints and events. */
export const userTopicsSlice = defineSlice('user-topics', {
  controllers: [UserTopicsController],
  providers: [SetUserTopic],
  events: userTopicEvents,
});

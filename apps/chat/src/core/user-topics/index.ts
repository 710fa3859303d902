export { SetUserTopic } from './set-user-topic.action.js';
export { UserTopicsController } from './user-topics.controller.js';
export { userTopicEvents } from './user-topics.events.js';
export { changeUserTopics } from './change-user-topics.js';
export { type MovedTopic, moveUserTopics } from './move-user-topics.js';

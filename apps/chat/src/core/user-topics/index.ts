export { userTopicsFeatureModule } from './user-topics.slice.js';
export { changeUserTopics } from './change-user-topics.js';
export { type MovedTopic, moveUserTopicPolicies } from './move-user-topics.js';

export { userTopicsSlice } from './user-topics.slice.js';
export { changeUserTopics } from './change-user-topics.js';
export { type MovedTopic, moveUserTopics } from './move-user-topics.js';

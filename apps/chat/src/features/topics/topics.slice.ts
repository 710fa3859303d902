import { defineSlice } from '../../events/define-slice.js';
import { ReadTopics } from './read-topics.query.js';
import { TopicsController } from './topics.controller.js';

/** The slice of topics: an endpoint. */
export const topicsSlice = defineSlice('topics', {
  controllers: [TopicsController],
  providers: [ReadTopics],
});

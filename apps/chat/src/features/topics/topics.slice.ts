import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { ReadTopics } from './read-topics.query.js';
import { TopicsController } from './topics.controller.js';

/** Feature module (slice) of topics. The module declares one endpoint. */
export const topicsFeatureModule = defineFeatureModule('topics', {
  controllers: [TopicsController],
  providers: [ReadTopics],
});

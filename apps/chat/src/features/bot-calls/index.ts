export { botServiceRequestsFeatureModule } from './bot-calls.slice.js';
export { defineBotServiceRequestJob, requeueLostBotServiceRequests } from './define-bot-call-job.js';
export { SendBotServiceRequest } from './make-bot-call.js';

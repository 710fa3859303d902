export { AlertWordAndMuteCache, type MessageMatches } from './alert-word-and-mute-cache.js';

export { AlertWordAndMuteCache, type AlertedAndMutingUsers } from './alert-word-and-mute-cache.js';

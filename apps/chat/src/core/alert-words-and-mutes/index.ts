export { AlertWordAndMuteCache, type MessageAttention } from './alert-word-and-mute-cache.js';

export { channelEmailSlice } from './channel-email.slice.js';

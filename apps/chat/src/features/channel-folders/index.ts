export { channelFoldersSlice } from './channel-folders.slice.js';

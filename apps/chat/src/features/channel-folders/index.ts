export { channelFoldersFeatureModule } from './channel-folders.slice.js';

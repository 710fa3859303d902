export { mutedUsersFeatureModule } from './muted-users.slice.js';

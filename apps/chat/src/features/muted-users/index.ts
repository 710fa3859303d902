export { mutedUsersSlice } from './muted-users.slice.js';

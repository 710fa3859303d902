export { devicesSlice } from './devices.slice.js';

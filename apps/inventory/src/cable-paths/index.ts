export { cablePaths } from './keep-paths.js';

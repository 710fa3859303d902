export { BoardModule, type BoardModuleOptions, type BoardMount } from './board/board.module.js';

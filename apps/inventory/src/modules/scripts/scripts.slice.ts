import { defineSlice } from '../../http/define-slice.js';
import { runScriptOperation } from './script-paths.js';
import { ScriptsController } from './scripts.controller.js';

const path = '/api/extras/scripts/{id}/';

export const scriptsSlice = defineSlice('scripts', {
  controllers: [ScriptsController],
  openApi: ({ paths }) => ({ paths: { [path]: { ...paths[path], post: runScriptOperation } } }),
});

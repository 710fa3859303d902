import { defineSlice } from '../../http/define-slice.js';
import { runScriptOperation } from './script-paths.js';
import { ScriptsController } from './scripts.controller.js';

const scriptPath = '/api/extras/scripts/{id}/';

export const scriptsSlice = defineSlice('scripts', {
  controllers: [ScriptsController],
  openApi: ({ paths }) => ({ paths: { [scriptPath]: { ...paths[scriptPath], post: runScriptOperation } } }),
});

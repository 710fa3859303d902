import { defineSlice } from '../../http/define-slice.js';
import { sendDownload } from './send-rendered-download.js';
import { ListExport } from './export-list-with-template.js';
import { renderPaths } from './render-paths.js';
import { RenderController } from './render-template.controller.js';

/** Regular expression of the URL paths of endpoints that render configurations and templates. */
const renderPathPattern =
  /^\/api\/(dcim\/devices|virtualization\/virtual-machines)\/[^/]+\/render-config\/?$|^\/api\/extras\/config-templates\/[^/]+\/render\/?$/;

export const templatesSlice = defineSlice('templates', {
  controllers: [RenderController],
  methods: [{ path: renderPathPattern, methods: ['OPTIONS', 'POST'] }],
  textPaths: [renderPathPattern],
  openApi: () => ({ paths: renderPaths }),
  lists: (parts) => {
    const exports = new ListExport(parts);
    return {
      send: async (call, reply) => {
        const download = await exports.exportIfRequested(call);
        if (download !== null) sendDownload(reply, download);
        return download !== null;
      },
    };
  },
});

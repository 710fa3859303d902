import { defineFeatureModule } from '../../http/define-slice.js';
import { sendDownload } from './send-rendered-download.js';
import { TemplateListExporter } from './export-list-with-template.js';
import { templateRenderingOpenApiPaths } from './render-paths.js';
import { TemplateRenderController } from './render-template.controller.js';

/** Regular expression of the URL paths of endpoints that render configurations and templates. */
const templateRenderPathPattern =
  /^\/api\/(dcim\/devices|virtualization\/virtual-machines)\/[^/]+\/render-config\/?$|^\/api\/extras\/config-templates\/[^/]+\/render\/?$/;

export const templatesFeatureModule = defineFeatureModule('templates', {
  controllers: [TemplateRenderController],
  methods: [{ path: templateRenderPathPattern, methods: ['OPTIONS', 'POST'] }],
  textPaths: [templateRenderPathPattern],
  openApi: () => ({ paths: templateRenderingOpenApiPaths }),
  lists: (parts) => {
    const exports = new TemplateListExporter(parts);
    return {
      send: async (call, reply) => {
        const download = await exports.exportListIfRequested(call);
        if (download !== null) sendDownload(reply, download);
        return download !== null;
      },
    };
  },
});

import { renderErrorCatalogAsMarkdown } from '@switchboard/errors';
import { auditActionTable, describeEnvironmentVariables } from '@switchboard/platform';
import { inventoryAudit } from './audit/audit-trail.js';
import { inventoryEnvironmentVariables } from './config.js';
import { inventoryErrors } from './errors.js';
import { convertToOpenApi30 } from './engine/meta/convert-to-openapi-30.js';
import { createOpenApiDocument } from './http/openapi-document.js';
import { modelRegistry } from './models/index.js';
import { inventoryFeatureModules } from './slices.js';

/** Contents of the committed files that are generated from this service's declarations. */
export interface GeneratedFiles {
  /** Content of `apps/inventory/openapi.json`, the API's OpenAPI document. */
  readonly openApi: string;
  /** OpenAPI documents that the service sends to clients, by name. A check validates these documents. */
  readonly served: Readonly<Record<string, object>>;
  /** Content of the file `docs/errors/inventory.md`, which explains the error codes of the service. */
  readonly errorPages: string;
  /** Markdown table of the audit actions in docs/operate/audit.md. */
  readonly auditTable: string;
  /** Markdown table of the service's environment variables, for docs/configuration.md. */
  readonly configurationTable: string;
}

/**
 * Returns the contents of the committed files that are generated from the sources. The contents depend only on the
 * sources.
 */
export function generateFiles(): GeneratedFiles {
  const document = createOpenApiDocument({ registry: modelRegistry, slices: inventoryFeatureModules });
  return {
    openApi: `${JSON.stringify(document, null, 2)}\n`,
    served: { 'OpenAPI 3.1': document, 'OpenAPI 3.0': Object(convertToOpenApi30(document)) },
    errorPages: `# Errors of the inventory service\n\n${renderErrorCatalogAsMarkdown(inventoryErrors)}`,
    auditTable: auditActionTable(inventoryAudit.actions),
    configurationTable: createConfigurationTable(),
  };
}

function createConfigurationTable(): string {
  const rows = describeEnvironmentVariables(inventoryEnvironmentVariables).map(
    ({ name, default: initial, description, requiredInProduction }) => {
      const value = requiredInProduction ? 'its own in production' : initial === '' ? '' : `\`${initial}\``;
      return `| \`${name}\` | ${value} | ${description.replaceAll('|', '\\|')} |`;
    },
  );
  return ['| variable | default | meaning |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

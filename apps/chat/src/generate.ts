import { renderErrorCatalogAsMarkdown } from '@switchboard/errors';
import { auditActionTable, describeEnvironmentVariables } from '@switchboard/platform';
import { chatEnvironmentSchema } from './app/environment.js';
import { createChatOpenApiDocument } from './app/openapi-document.js';
import { chatErrors } from './errors.js';
import { chatAudit } from './infra/audit-trail.js';
import { createIntegrationsPage } from './features/integrations/index.js';

/** Contents of the files that are generated from the service's source code and committed to the repository. */
export interface GeneratedFiles {
  /** Generated content of the file `apps/chat/openapi.json`. */
  readonly openApi: string;
  /** Generated content of the file `docs/errors/chat.md`. */
  readonly errorPages: string;
  /** Markdown table of environment variables in docs/configuration.md. */
  readonly configurationTable: string;
  /** Table of audit actions in docs/operate/audit.md. */
  readonly auditTable: string;
  /** Generated content of the file `docs/integrations.md`. */
  readonly integrationsPage: string;
}

/** Returns the contents of all generated files. The output is deterministic: equal sources produce equal bytes. */
export function generateFiles(): GeneratedFiles {
  return {
    openApi: `${JSON.stringify(createChatOpenApiDocument(), null, 2)}\n`,
    errorPages: `# Errors of the chat service\n\n${renderErrorCatalogAsMarkdown(chatErrors)}`,
    configurationTable: createConfigurationTable(),
    auditTable: auditActionTable(chatAudit.actions),
    integrationsPage: createIntegrationsPage(),
  };
}

function createConfigurationTable(): string {
  const rows = describeEnvironmentVariables(chatEnvironmentSchema).map(
    ({ name, default: initial, description, requiredInProduction }) => {
      const value = requiredInProduction ? 'its own in production' : initial === '' ? '' : `\`${initial}\``;
      return `| \`${name}\` | ${value} | ${description.replaceAll('|', '\\|')} |`;
    },
  );
  return ['| variable | default | meaning |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

import { ClientDisconnectedError } from '@switchboard/database';
import { getCurrentDisconnect } from '@switchboard/platform';
import { TemplateError, type TemplateSource, TemplateRendering } from '@switchboard/templates';
import type { RenderingQueue } from '../../http/rendering-queue.js';
import type { TemplateDataFile } from './data-source-template-files.js';

/**
 * A template that is stored in the database: code, parameters of the Jinja environment, and the data file from which
 * the code was copied.
 */
export interface StoredTemplate {
  readonly code: string;
  readonly environment: unknown;
  readonly file: TemplateDataFile | null;
}

/** SQL of the columns of {@link StoredTemplate}. In the query, the table of templates must have the alias `t`. */
export const storedTemplateColumnsSql = `t.template_code AS code, t.environment_params AS environment,
  (SELECT json_build_object('sourceId', f.source_id, 'path', f.path) FROM core_datafile f WHERE f.id = t.data_file_id)
    AS file`;

/** Result of rendering a template: the rendered text, or an error message for the author of the template. */
export type TemplateRenderingResult = { readonly text: string } | { readonly failure: string };

/** Time, in milliseconds, after which a template rendering pauses to let the service process other requests. */
export const renderingPauseAfterMs = 20;

/**
 * Returns the Jinja environment parameters of a stored template. Returns an empty object if the stored value is not an
 * object.
 */
export function getEnvironmentParameters({ environment }: StoredTemplate): Readonly<Record<string, unknown>> {
  return typeof environment === 'object' && environment !== null ? { ...environment } : {};
}

/**
 * Renders a stored template, and loads the related objects that it uses. Line breaks in the text become LF.
 *
 * @throws ApplicationError UNAVAILABLE while too many templates are rendered
 * @throws ClientDisconnectedError
 */
export async function renderStoredTemplate(
  turns: RenderingQueue,
  template: StoredTemplate,
  context: Readonly<Record<string, unknown>>,
  { timeoutMs, files }: { readonly timeoutMs: number; readonly files: TemplateSource },
): Promise<TemplateRenderingResult> {
  try {
    // Configurations are plain text, which is never escaped.
    const { autoescape: _escaped, ...environment } = getEnvironmentParameters(template);
    const options = { environment, limits: { timeoutMs }, files, pauseAfterMs: renderingPauseAfterMs };
    const rendering = new TemplateRendering(template.code, context, options);
    const text = await turns.runRendering(() => renderStoredTemplateInSteps(turns, rendering));
    return { text: text.replaceAll('\r\n', '\n') };
  } catch (error) {
    return { failure: formatTemplateError(error) };
  }
}

async function renderStoredTemplateInSteps(turns: RenderingQueue, rendering: TemplateRendering): Promise<string> {
  for (let text = ''; ;) {
    if (getCurrentDisconnect()?.hasOccurred === true) throw new ClientDisconnectedError();
    const part = await turns.runRenderingStep(() => rendering.renderNextPart());
    text += part.text;
    if (part.isDone) return text;
    await part.load?.run();
  }
}

/**
 * Returns the description of a template error.
 *
 * @throws the error if it is of another kind
 */
function formatTemplateError(error: unknown): string {
  if (!(error instanceof TemplateError)) throw error;
  return `${error.name}: ${error.message}`;
}

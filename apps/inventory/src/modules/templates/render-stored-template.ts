import { ClientDisconnectedError } from '@switchboard/database';
import { getCurrentDisconnect } from '@switchboard/platform';
import { TemplateError, type TemplateSource, TemplateRendering } from '@switchboard/templates';
import type { RenderingQueue } from '../../http/rendering-queue.js';
import type { TemplateFile } from './data-source-template-files.js';

/** A stored template: its code, the parameters of its Jinja environment, and its data file. */
export interface StoredTemplate {
  readonly code: string;
  readonly environment: unknown;
  readonly file: TemplateFile | null;
}

/** SQL columns of {@link StoredTemplate}, given the table of templates with the alias `t`. */
export const storedTemplateColumnsSql = `t.template_code AS code, t.environment_params AS environment,
  (SELECT json_build_object('sourceId', f.source_id, 'path', f.path) FROM core_datafile f WHERE f.id = t.data_file_id)
    AS file`;

/** Text of a rendered template, or an error message for the template's author. */
export type RenderingResult = { readonly text: string } | { readonly failure: string };

/** Time in milliseconds after which a rendering pauses for other requests. */
export const renderingPauseAfterMs = 20;

/** Returns the Jinja environment parameters of a stored template; empty if the stored value is not an object. */
export function getEnvironmentParameters({ environment }: StoredTemplate): Readonly<Record<string, unknown>> {
  return typeof environment === 'object' && environment !== null ? { ...environment } : {};
}

/**
 * Renders a stored template, and loads the related objects that it uses. Line breaks in the text become LF.
 *
 * @throws AppError UNAVAILABLE while too many templates are rendered
 * @throws ClientDisconnectedError
 */
export async function renderStoredTemplate(
  turns: RenderingQueue,
  template: StoredTemplate,
  context: Readonly<Record<string, unknown>>,
  { timeoutMs, files }: { readonly timeoutMs: number; readonly files: TemplateSource },
): Promise<RenderingResult> {
  try {
    // Configurations are plain text, which is never escaped.
    const { autoescape: _escaped, ...environment } = getEnvironmentParameters(template);
    const options = { environment, limits: { timeoutMs }, files, pauseAfterMs: renderingPauseAfterMs };
    const rendering = new TemplateRendering(template.code, context, options);
    const text = await turns.run(() => renderInSteps(turns, rendering));
    return { text: text.replaceAll('\r\n', '\n') };
  } catch (error) {
    return { failure: formatTemplateError(error) };
  }
}

async function renderInSteps(turns: RenderingQueue, rendering: TemplateRendering): Promise<string> {
  for (let text = ''; ;) {
    if (getCurrentDisconnect()?.hasOccurred === true) throw new ClientDisconnectedError();
    const part = await turns.runStep(() => rendering.renderNextPart());
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

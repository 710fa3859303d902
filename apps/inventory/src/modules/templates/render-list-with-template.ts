import { ClientDisconnectedError } from '@switchboard/database';
import { getCurrentDisconnect } from '@switchboard/platform';
import { defaultLimits, type LazyListRows, TemplateError, TemplateRendering } from '@switchboard/templates';
import type { ResponseFileStore } from '../../engine/responses/response-files.js';
import type { ResponseWriter } from '../../engine/responses/response-writer.js';
import type { StoredResponse } from '../../engine/responses/stored-response.js';
import type { RenderingQueue } from '../../http/rendering-queue.js';
import { LazyTemplateList, maxTemplateListInMemory, type ObjectListToRender } from './lazy-template-list.js';
import { getEnvironmentParameters, renderingPauseAfterMs, type StoredTemplate } from './render-stored-template.js';

/** Services and settings on which {@link renderListWithTemplate} depends. */
export interface ListRenderingOptions {
  readonly responses: ResponseFileStore;
  readonly templateLimits: { readonly timeoutMs: number };
  readonly renderingTurns: RenderingQueue;
}

/**
 * Number of objects of a list for which a rendering gets the limits of one rendering. A list with twice as many objects
 * gets twice the limits.
 */
const objectsPerRenderingLimit = 50;

/**
 * Number of characters that rendering a list may allocate for each object, in addition to the limit of a single
 * rendering.
 */
const maxCharactersPerObject = 8192;

/**
 * Renders a template with the objects of a list (`queryset`), with pauses. Loops of the template read lists of more
 * than 1,000 objects a few hundred at a time.
 *
 * @returns the text, or the description of the failure
 * @throws ApplicationError RESPONSE_TOO_LARGE, RESPONSE_NOT_STORED, UNAVAILABLE
 * @throws ClientDisconnectedError
 */
export async function renderListWithTemplate(
  parts: ListRenderingOptions,
  template: StoredTemplate,
  list: ObjectListToRender,
): Promise<{ readonly text: string | StoredResponse } | { readonly failure: string }> {
  const writer = parts.responses.createResponseWriter();
  try {
    const listParts = new LazyTemplateList(list);
    const queryset = await listParts.queryset();
    const rendering = new TemplateRendering(
      template.code,
      { ...listParts.related.templateModels(), queryset },
      {
        environment: getEnvironmentParameters(template),
        files: listParts.related.templateFiles(template.file),
        limits: computeRenderingLimits(list.objects.count, parts.templateLimits),
        pauseAfterMs: renderingPauseAfterMs,
      },
    );
    await renderListInSteps(parts.renderingTurns, rendering, { listParts, writer });
    return { text: await writer.finish() };
  } catch (error) {
    await writer.discard();
    if (!(error instanceof TemplateError)) throw error;
    return { failure: `${error.name}: ${error.message}` };
  }
}

async function renderListInSteps(
  turns: RenderingQueue,
  rendering: TemplateRendering,
  { listParts, writer }: { readonly listParts: LazyTemplateList; readonly writer: ResponseWriter },
): Promise<void> {
  let rows: LazyListRows | undefined;
  // The two characters of a line break may be in different parts.
  let cut = '';
  for (;;) {
    if (getCurrentDisconnect()?.hasOccurred === true) throw new ClientDisconnectedError();
    const given = rows;
    const part = await turns.runRenderingStep(() => rendering.renderNextPart(given));
    const text = cut + part.text;
    cut = !part.isDone && text.endsWith('\r') ? '\r' : '';
    await writer.write((cut === '' ? text : text.slice(0, -1)).replaceAll('\r\n', '\n'));
    if (part.isDone) return;
    await part.load?.run();
    rows = part.requested === null ? undefined : await listParts.readNextSection(part.requested);
  }
}

/**
 * Returns the limits for rendering a list. All limits except the time between two pauses grow with the length of the
 * list. In a long list, the time limit grows only when a loop reaches further objects. Therefore a template with an
 * endless loop still stops soon.
 */
function computeRenderingLimits(count: number, { timeoutMs }: { readonly timeoutMs: number }) {
  const renderings = Math.max(1, Math.ceil(count / objectsPerRenderingLimit));
  return {
    timeoutMs: timeoutMs * Math.min(renderings, maxTemplateListInMemory.objects / objectsPerRenderingLimit),
    rowMs: timeoutMs / objectsPerRenderingLimit,
    maxTimeoutMs: timeoutMs * renderings,
    maxMsBetweenPauses: timeoutMs,
    maxOutputBytes: defaultLimits.maxOutputBytes * renderings,
    maxLoopSteps: defaultLimits.maxLoopSteps * renderings,
    maxAllocatedSize: defaultLimits.maxAllocatedSize + maxCharactersPerObject * count,
  };
}

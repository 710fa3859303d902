import {
  renderTemplate,
  SecurityError,
  TemplateError,
  TemplateLimitError,
  TemplateRuntimeError,
  type ServiceDefinedTemplateFilter,
  type TemplateOptions,
} from '@switchboard/templates';
import { UndeliverableError } from '@switchboard/webhooks';
import type { WebhookTemplateSettings } from '../../webhooks/webhook-settings.js';
import type { StoredWebhook } from './stored-webhook.js';

/** URL, headers and body of a webhook request, rendered from the webhook's templates. */
export interface RenderedWebhookRequest {
  readonly url: string;
  /** Rendered additional headers of the webhook request, one header per line. */
  readonly headers: string;
  readonly body: string;
}

/** Maximum length of a webhook's rendered URL and headers, in characters. */
const maxUrlAndHeadersLength = 65_536;

// CR and LF would start another header; other control characters are invalid in headers too.
// eslint-disable-next-line no-control-regex
const controlCharacterPattern = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/g;

/**
 * Regular expression that matches texts with template syntax or line breaks. Only matching texts need to be rendered.
 */
const templateOrLineBreakPattern = /\{[{%#]|[\r\n]/;

/**
 * Renders URL, additional headers and body of a webhook for an event (docs/contract/inventory.md 5.4). With an empty
 * body template, the body is the unchanged event context. Headers are rendered before they are split into lines, so
 * that values with line breaks are rejected. The filter `header_safe` removes line breaks.
 *
 * @param payload JSON text of the event
 * @throws UndeliverableError with the template's error if a template fails
 * @throws TemplateLimitError if the rendering ran out of time, which may be due to load
 */
export function renderWebhookRequest(
  webhook: StoredWebhook,
  payload: string,
  settings: WebhookTemplateSettings,
): RenderedWebhookRequest {
  const { name, payloadUrl, additionalHeaders, bodyTemplate } = webhook;
  const { timeoutMs } = settings;
  const filters = { env: createTemplateVariableFilter(settings.variables), header_safe: removeControlCharacters };
  let parsed: Readonly<Record<string, unknown>> | undefined;
  const context = () => (parsed ??= { ...Object(JSON.parse(payload)) });
  const render = (part: string, template: string, options: TemplateOptions): string => {
    if (!templateOrLineBreakPattern.test(template)) return template;
    try {
      return renderTemplate(template, context(), { filters, ...options });
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      const message = `The ${part} of webhook ${name} cannot be rendered: ${error.name}: ${error.message}`;
      const timeIsUp = error instanceof TemplateLimitError && error.limit === 'time';
      throw timeIsUp ? new TemplateLimitError('time', message) : new UndeliverableError(message);
    }
  };
  const head = { timeoutMs, maxOutputBytes: maxUrlAndHeadersLength };
  return {
    url: render('payload URL', payloadUrl, { limits: head }).trim(),
    headers: render('additional headers', additionalHeaders, { limits: head, finalize: rejectLineBreaksInText }),
    body: bodyTemplate === '' ? payload : render('body template', bodyTemplate, { limits: { timeoutMs } }),
  };
}

function rejectLineBreaksInText(text: string): string {
  if (!/[\r\n]/.test(text)) return text;
  throw new SecurityError('a value with a line break would start another header; the filter header_safe removes it');
}

const removeControlCharacters: ServiceDefinedTemplateFilter = (value) =>
  value === null ? '' : String(value).replaceAll(controlCharacterPattern, '');

function createTemplateVariableFilter(variables: Readonly<Record<string, string>>): ServiceDefinedTemplateFilter {
  return (name) => {
    if (typeof name === 'string' && Object.hasOwn(variables, name)) return variables[name];
    throw new TemplateRuntimeError(`The environment variable '${String(name)}' is not available to templates`);
  };
}

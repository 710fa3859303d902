import type { WebhookFormat } from './define-webhook-format.js';
import { webhookFormats } from './formats/index.js';

/** Returns the text of the documentation page about integrations. `npm run gen` writes this text to a file. */
export function createIntegrationsPage(): string {
  return `${integrationsIntroduction}\n## Formats\n\n${createIntegrationsOverview()}\n${webhookFormats.map(createIntegrationSection).join('\n')}`;
}

const integrationsIntroduction = `# Integrations

Other services post into chat: an incoming webhook bot has a URL for each format below. This page is generated from the
formats in \`apps/chat/src/features/integrations/formats\` by \`npm run gen\`. [Adding an integration](adding-an-integration.md)
describes how to add one.

## URL

\`\`\`
POST https://chat.example.com/api/v1/external/github?api_key=<key of the bot>&stream=engineering
\`\`\`

1. Create a bot of type 2: \`POST /api/v1/bots\` with \`full_name\`, \`short_name\` and \`bot_type=2\`. Its key is in the response.
2. Enter the URL in the settings of the sending service.

| parameter | meaning |
| --- | --- |
| \`api_key\` | key of the bot |
| \`stream\` | name or id of the channel. Without it, messages are direct messages to the bot's owner |
| \`topic\` | topic of all messages, instead of the topic of the format |
| \`only_events\` | JSON list of the events to send messages for, such as \`["push_*", "issues"]\`; \`*\`, \`?\`, \`[abc]\` and \`[!abc]\` are wildcards |
| \`exclude_events\` | JSON list of events without messages |

The body is the payload of the sender as JSON, or a form with the JSON in the field \`payload\`. The body has at most
\`BODY_LIMIT_BYTES\` bytes (2 MiB), never more than 4 MiB, and 100,000 values. Texts of a payload mention no users, link
to no channels, and cannot leave the quote or code block that contains them. Longer messages are cut at 10,000
characters, and a request sends at most 50 messages.

## Signatures

Senders with a header in the table below sign their requests with a secret. To have signatures checked, store the secret
with the bot: \`config_data={"webhook_secret": "…"}\` of \`POST /api/v1/bots\` or \`PATCH /api/v1/bots/{bot_id}\`. The secret
is stored encrypted and never shown; an empty string removes the secret. Requests without a valid signature are then
refused with 400.

## Responses

| status | response |
| --- | --- |
| 200 | the messages were sent, or the event has no message |
| 200, code \`UNSUPPORTED_WEBHOOK_EVENT_TYPE\` | the format does not know the event named \`event_type\` |
| 400 \`INVALID_JSON\` | the body is not JSON. The owner of the bot is notified |
| 400 \`MISSING_HTTP_EVENT_HEADER\` | the header that names the event is missing. The owner of the bot is notified |
| 400 \`ANOMALOUS_WEBHOOK_PAYLOAD\` | the payload lacks a field that the sender always sends |
| 400 \`BAD_REQUEST\` | a parameter or the signature is invalid, or the bot may not send to the channel |
| 401, 429 | the key is invalid; the bot has sent too many requests |

If the channel does not exist, the response is a success, so that the sender does not repeat the request. The owner of
the bot receives a direct message of Notification Bot instead, at most one a minute. The same applies if a message
cannot be sent after others of the same request were.
`;

function createIntegrationsOverview(): string {
  const rows = webhookFormats.map(({ name, displayName, signature, documentation }) => {
    const checked = signature === undefined ? '' : signature.description;
    return `| [\`${name}\`](#${name}) | [${displayName}](${documentation}) | ${checked} |`;
  });
  return ['| format | sender | signature |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

function createIntegrationSection(format: WebhookFormat): string {
  const { name, eventHeader, eventNames, topics, options } = format;
  const names = eventHeader === undefined ? '' : `\nEvents are named by the header \`${eventHeader}\`.\n`;
  const parameters = options.map(
    ({ key, label, isFlag }) => `\n- \`${key}\`${isFlag ? ' (`true` or `false`)' : ''}: ${label}`,
  );
  const own = parameters.length === 0 ? '' : `\nFurther parameters:\n${parameters.join('')}\n`;
  const rows = [...topics].map(
    ([event, topic]) =>
      `| ${eventNames === null ? 'any' : `\`${event}\``} | ${topic.replaceAll(/\{(\w+)\}/g, '*$1*')} |`,
  );
  return [`## ${name}\n${names}${own}`, '| event | topic |', '| --- | --- |', ...rows, ''].join('\n');
}

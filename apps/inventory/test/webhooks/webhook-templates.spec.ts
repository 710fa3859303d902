import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Receiver } from './test-receiver.js';
import { quickSettings, WebhookTestEnvironment, siteChange, type DeliveryRow } from './webhook-test-service.js';
import { bodyEscapes, headerEscapes, urlEscapes, type Escape } from './template-escapes.js';

let rig: WebhookTestEnvironment;
const receiver = new Receiver();

beforeAll(async () => {
  rig = await WebhookTestEnvironment.create();
  await receiver.start();
});
afterEach(async () => {
  await rig.reset();
  receiver.requests.length = 0;
});
afterAll(async () => {
  await rig.close();
  await receiver.stop();
});

const tags = [
  { id: 1, name: 'Core', slug: 'core' },
  { id: 2, name: 'Lab', slug: 'lab' },
];
const data = {
  id: 9,
  url: '/api/dcim/sites/9/',
  name: 'Amsterdam "1"',
  status: { value: 'active', label: 'Active' },
  tenant: null,
  comments: 'one\r\nX-Forged: yes',
  tags,
};

/** Sends the change of a site to one webhook. Returns the delivery of the change. */
async function delivered(columns: Record<string, unknown>, url = receiver.url): Promise<DeliveryRow> {
  await rig.addWebhook(url, columns);
  rig.process({ settings: quickSettings({ templates: { timeoutMs: 10_000, variables: { HOOK_KEY: 'k1' } } }) });
  await rig.commit(siteChange({ data }));
  return (await rig.settled(1))[0]!;
}

const bodies: readonly [template: string, gives: string][] = [
  [
    '{{ event }} {{ object_type }} {{ username }} {{ timestamp }}',
    'updated dcim.site admin 2026-11-21T02:10:11.123456+00:00',
  ],
  ['{{ request.method }} {{ request.path }} {{ request_id == request.id }}', 'PATCH /api/dcim/sites/9/ True'],
  ['{{ snapshots.prechange.status }} > {{ snapshots.postchange.status }}', 'planned > active'],
  ['{"text": {{ (data.name ~ " is " ~ data.status.label)|tojson }}}', '{"text": "Amsterdam \\"1\\" is Active"}'],
  ['{{ data.tenant|default("none", true) }} {{ data.nothing|default("-") }}', 'none -'],
  ['{{ data.tags|map(attribute="slug")|join(",")|upper }}', 'CORE,LAB'],
  ['{{ data.tags|selectattr("slug", "equalto", "lab")|map(attribute="id")|first }}', '2'],
  [
    '{{ data.tags|rejectattr("slug", "in", ["lab"])|list|length }} {{ data.name|replace("dam", "DAM") }}',
    '1 AmsterDAM "1"',
  ],
  ['{{ timestamp|strftime("%d.%m.%Y %H:%M") }} {{ timestamp[:10] }}', '21.11.2026 02:10 2026-11-21'],
  [
    '{% for t in data.tags %}{{ loop.index }}:{{ t.name }}{% if not loop.last %};{% endif %}{% endfor %}',
    '1:Core;2:Lab',
  ],
  ['{% if data.status.value != "active" %}x{% else %}{{ data.name|urlencode }}{% endif %}', 'Amsterdam%20%221%22'],
  ['first\r\nsecond {# not this #}\n', 'first\nsecond '],
];

/**
 * Sends a change to one webhook for each template. If a template must be rejected, its delivery must fail at the first
 * attempt with an error message.
 */
async function tryAll(escapes: readonly Escape[], column: 'body_template' | 'additional_headers' | 'payload_url') {
  const ids: number[] = [];
  for (const { template } of escapes) ids.push(await rig.addWebhook(receiver.url, { [column]: template }));
  rig.process();
  await rig.commit(siteChange({ data: { ...data, constructor: 'mine' } }));
  const rows = new Map((await rig.settled(escapes.length)).map((row) => [row.webhook_id, row]));
  for (const [index, { template, refused, gives }] of escapes.entries()) {
    const { status, attempts, error, body } = rows.get(ids[index] ?? 0)!;
    const came = `${status} after ${attempts}: ${error ?? 'sent'}`;
    if (refused === undefined) expect(came, template).toBe('succeeded after 1: sent');
    else expect(came, template).toMatch(new RegExp(`^failed after 1: .*${refused}`));
    if (gives !== undefined) expect(body, template).toBe(gives);
  }
}

describe('webhook with templates', () => {
  it('sends the rendered body', async () => {
    const cases = bodies.map(([template, gives]) => ({ template, gives }));
    await tryAll(cases, 'body_template');
    expect(receiver.requests.map(({ body }) => body.toString('utf8')).toSorted()).toEqual(
      cases.map(({ gives }) => gives).toSorted(),
    );
  });

  it('uses the rendered URL, headers and content type', async () => {
    const row = await delivered(
      {
        additional_headers:
          'X-Event: {{ event }}\nX-Key: {{ "HOOK_KEY"|env }}\n{% for t in data.tags %}X-Tag-{{ t.id }}: {{ t.slug }}\n{% endfor %}X-Note: {{ data.comments|header_safe }}',
        http_content_type: 'text/plain',
        body_template: 'x',
      },
      `${receiver.url}/{{ object_type|replace(".", "/") }}/{{ data.id }}?name={{ data.name|urlencode }}\n`,
    );
    expect(row).toMatchObject({ status: 'succeeded' });
    const [request] = receiver.requests;
    expect(request?.path).toBe('/dcim/site/9?name=Amsterdam%20%221%22');
    expect(request?.headers).toMatchObject({
      'x-event': 'updated',
      'x-key': 'k1',
      'x-tag-1': 'core',
      'x-tag-2': 'lab',
      'x-note': 'oneX-Forged: yes',
      'content-type': 'text/plain',
    });
    expect(request?.headers).not.toHaveProperty('x-forged');
  });

  it("uses the webhook's settings at the time of the attempt", async () => {
    receiver.response = (_request, count) => ({ status: count === 1 ? 500 : 200 });
    const id = await rig.addWebhook(receiver.url, { body_template: 'old {{ event }}' });
    rig.process({ settings: quickSettings({ retry: { ...quickSettings().retry, retries: 0 } }) });
    await rig.commit(siteChange());
    const [failed] = await rig.settled(1);
    await rig.database.query("UPDATE extras_webhook SET body_template = 'new {{ event }}' WHERE id = $1", [id]);
    await rig.requeue(failed!.id);
    expect(await rig.settled(1)).toMatchObject([{ status: 'succeeded', body: 'new updated' }]);
    receiver.response = () => ({ status: 200 });
  });

  it('retries a template that exceeds its time limit, because the machine may be busy', async () => {
    await rig.addWebhook(receiver.url, { name: 'slow', body_template: '{{ event }}' });
    rig.process({
      settings: quickSettings({
        templates: { timeoutMs: -1, variables: {} },
        retry: { ...quickSettings().retry, retries: 1 },
      }),
    });
    await rig.commit(siteChange());
    const [row] = await rig.settled(1);
    expect(row).toMatchObject({ status: 'failed', attempts: 2 });
    expect(row?.error).toContain('The body template of webhook slow cannot be rendered: TemplateLimitError: ');
  });
});

describe('template sandbox escapes', () => {
  it(`fail in a body: ${bodyEscapes.length} escapes`, async () => {
    await tryAll(bodyEscapes, 'body_template');
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  it(`fail in additional headers of a webhook, in ${headerEscapes.length} forms`, async () => {
    await tryAll(headerEscapes, 'additional_headers');
    for (const { headers } of receiver.requests) {
      expect(headers).not.toHaveProperty('x-forged');
      expect(headers['webhook-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it(`fail in the URL template of a webhook, in ${urlEscapes.length} forms`, async () => {
    await tryAll(urlEscapes, 'payload_url');
    expect(receiver.requests).toEqual([]);
  });
});
